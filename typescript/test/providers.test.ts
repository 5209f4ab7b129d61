/** Adapters as a caller uses them, and what providers may send that no fixture has. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ALIASES } from "../src/generated/tables/event-dialects.js";
import { MessageAssembler, type MessageDelta } from "../src/index.js";
import { decodeEvent, NOTHING, valuesOnLines } from "../src/providers/core/event-json.js";
import { sha256 } from "../src/providers/core/ids.js";
import { asJsonText, integerAt } from "../src/providers/core/spelling.js";
import {
  ADAPTERS,
  type AdapterInit,
  adaptBytes,
  adapterFor,
  ByteAdapter,
  type Framing,
  openAdapter,
  type ProviderAdapter,
} from "../src/providers/index.js";
import { ruleOf, thrown } from "./deltas.js";

const INIT: AdapterInit = { clock: () => "2026-01-02T03:04:05Z" };
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const open = (dialect: string, init: Partial<AdapterInit> = {}): ProviderAdapter =>
  openAdapter(dialect, "run_1", { ...INIT, ...init });

/** Feeds events to a new adapter, ends the input, and returns adapter and deltas. */
function adapted(dialect: string, events: readonly unknown[], init: Partial<AdapterInit> = {}) {
  const adapter = open(dialect, init);
  const deltas = events.flatMap((event) => adapter.feed(event));
  return { adapter, deltas: [...deltas, ...adapter.close()] };
}

function assembled(deltas: readonly MessageDelta[]) {
  const assembler = new MessageAssembler();
  for (const delta of deltas) assembler.consume(delta);
  assembler.close();
  return assembler.buildFinalMessage();
}

const payloads = (deltas: readonly MessageDelta[], kind: string): unknown[] =>
  deltas.filter((delta) => delta.kind === kind).map((delta) => delta.payload);

const rules = (adapter: ProviderAdapter): string[] => adapter.findings.map((each) => `${each.rule}${each.pointer}`);

const chunk = (delta: object, more: object = {}): object => ({
  id: "c1",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const TEXT = (text: string): object => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const START = { type: "message_start", message: { id: "msg_1", model: "claude" } };

test("chunks become a message: text, a tool call with arguments in pieces, usage", () => {
  const call = (fields: object): object => chunk({ tool_calls: [{ index: 0, ...fields }] });
  const { adapter, deltas } = adapted("openai-chat", [
    chunk({ role: "assistant", content: "Let me " }),
    chunk({ content: "see." }),
    call({ id: "call_1", function: { name: "find", arguments: '{"q":' } }),
    call({ function: { arguments: '"é"}' } }),
    chunk({}, { finish_reason: "tool_calls" }),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
  ]);
  expect(deltas.map((delta) => delta.seq)).toEqual(deltas.map((_, index) => index));
  const message = assembled(deltas);
  expect(message.parts.map((part) => part.kind)).toEqual(["text", "tool_call"]);
  expect(message.parts[1]?.payload).toMatchObject({ toolCallId: "call_1", toolName: "find", arguments: { q: "é" } });
  expect(payloads(deltas, "usage")).toEqual([{ inputTokens: 3, outputTokens: 4, totalTokens: 7 }]);
  expect([adapter.finishReason, adapter.modelId, adapter.requestId, adapter.ended]).toEqual([
    "tool_calls",
    "m",
    "c1",
    true,
  ]);
});

test("an adapter without a clock is refused before the first event", () => {
  expect(ruleOf(() => openAdapter("openai-chat", "run_1", {} as AdapterInit))).toBe("usage/invalid-argument");
  expect(ruleOf(() => openAdapter("openai-chat", "run_1", undefined as never))).toBe("usage/invalid-argument");
});

const EVENTS = [
  START,
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  TEXT("ä€😀"),
];
const TAIL = [{ type: "content_block_stop", index: 0 }, { type: "message_stop" }];
const LINES = [...EVENTS, ...TAIL].map((event) => JSON.stringify(event));
const BODIES: readonly (readonly [Framing, string])[] = [
  ["sse", LINES.map((line) => `event: x\ndata: ${line}\n\n`).join("")],
  ["jsonl", LINES.join("\n")],
  ["jsonarray", `\ufeff[${LINES.join(",\r\n")}]`],
];

test.each(BODIES)("bytes as %s in any cut give the same deltas", (_, body) => {
  const whole = adapted("anthropic-messages", [...EVENTS, ...TAIL]).deltas;
  for (const size of [1, 2, 5, body.length]) {
    const reader = new ByteAdapter(open("anthropic-messages"));
    const bytes = encode(body);
    const deltas: MessageDelta[] = [];
    for (let at = 0; at < bytes.length; at += size) deltas.push(...reader.feed(bytes.subarray(at, at + size)));
    expect([...deltas, ...reader.close()]).toEqual(whole);
  }
});

test("adaptBytes yields deltas as they come, and a body on many lines is one", async () => {
  const message = { role: "assistant", content: [{ type: "text", text: "Hi" }] };
  const body = JSON.stringify({ id: "x", message, finish_reason: "COMPLETE" }, null, 2);
  const deltas: MessageDelta[] = [];
  for await (const delta of adaptBytes("cohere-v2", [encode(body)], "run_1", INIT)) deltas.push(delta);
  expect(deltas.map((delta) => delta.kind)).toEqual(["start", "text", "done"]);
});

test("an alias is its dialect", () => {
  for (const [alias, dialect] of ALIASES) expect(adapterFor(alias)).toBe(adapterFor(dialect));
  expect(open("anthropic").dialect).toBe("anthropic-messages");
});

test("what cannot be meant is a UsageError", () => {
  expect(ruleOf(() => adapterFor("constructor"))).toBe("usage/unknown-dialect");
  expect(ruleOf(() => openAdapter("openai-chat", "", INIT))).toBe("usage/invalid-argument");
  expect(ruleOf(() => open("openai-chat", { turnId: "\ud800" }))).toBe("usage/invalid-argument");
  expect(ruleOf(() => new ByteAdapter(open("openai-chat"), "xml" as Framing))).toBe("usage/invalid-argument");
  expect(ruleOf(() => open("openai-chat").abort("boom", "x"))).toBe("usage/invalid-argument");
  expect(thrown(() => open("openai-chat").abort("boom", "x"))).toMatchObject({ name: "UsageError" });
});

test("every dialect takes odd events without throwing, and ends once", () => {
  const odd: unknown[] = [null, true, 0, "x", [], {}, [[]], { type: "constructor" }, { __proto__: null }];
  const members = ["type", "choices", "delta", "message", "content_block", "index", "usage", "error", "candidates"];
  for (const dialect of ADAPTERS.keys()) {
    for (const name of members) {
      const events = odd.flatMap((value) => [value, { [name]: value }, { type: "message_start", [name]: value }]);
      const { deltas } = adapted(dialect, events, { keepRaw: true });
      const ends = deltas.filter((delta) => delta.kind === "done" || delta.kind === "error");
      expect([dialect, name, ends.length, deltas.at(-1) === ends[0]]).toEqual([dialect, name, 1, true]);
    }
  }
});

test("members of any name are data", () => {
  const event = JSON.parse(
    '{"type":"content_block_start","index":0,"content_block":{"type":"odd","__proto__":{"a":1},"constructor":2}}',
  );
  const { deltas } = adapted("anthropic-messages", [START, event, ...TAIL]);
  const piece = JSON.parse('{"type":"compaction_delta","content":"c","__proto__":{"b":1}}');
  const compaction = [
    { type: "content_block_start", index: 0, content_block: { type: "compaction" } },
    { type: "content_block_delta", index: 0, delta: piece },
  ];
  const kept = adapted("anthropic-messages", [START, ...compaction, ...TAIL]).adapter.opaque;
  expect(JSON.stringify(kept[0]?.data)).toBe('{"type":"compaction","__proto__":{"b":1},"content":"c"}');
  const text = JSON.stringify(deltas);
  expect(text).toContain('"__proto__":{"a":1}');
  expect(text).toContain('"constructor":2');
  expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
});

test("halves of a character are joined across deltas; one that stays alone is U+FFFD, and said", () => {
  const { adapter, deltas } = adapted("anthropic-messages", [START, TEXT("a\ud83d"), TEXT("\ude00b\ud83d"), ...TAIL]);
  expect(payloads(deltas, "text")).toEqual([{ textDelta: "a" }, { textDelta: "😀b" }, { textDelta: "\ufffd" }]);
  expect(rules(adapter)).toContain("adapter/lone-surrogate/4");
  const inside = adapted("anthropic-messages", [START, TEXT("\ud83dx\ude00"), ...TAIL]);
  expect(payloads(inside.deltas, "text")).toEqual([{ textDelta: "\ufffdx\ufffd" }]);
});

test("places of provider state count characters, not units", () => {
  const block = (text: string): object[] => [
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: text } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
    { type: "content_block_stop", index: 0 },
  ];
  const { adapter } = adapted("anthropic-messages", [
    START,
    ...block("😀😀"),
    ...block("é😀"),
    { type: "message_stop" },
  ]);
  expect(adapter.opaque.map(({ start, end }) => [start, end])).toEqual([
    [0, 2],
    [2, 4],
  ]);
});

test("arguments that came as a value keep how they were written", () => {
  const adapter = open("openai-chat");
  const text = '{"b":2.0,"10":1,"2":[1e3,1e16,0.00001,-0.0,1e400],"n":12345678901234567890}';
  const deltas = adapter.feedText(
    `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":${text}}}]}}]}`,
  );
  const said = '{"b":2.0,"10":1,"2":[1000.0,1e+16,1e-05,-0.0,Infinity],"n":12345678901234567890}';
  expect(payloads(deltas, "tool_call_args")).toEqual([{ toolCallId: "c", argsTextDelta: said }]);
});

test("an index is an integer, and written as one", () => {
  const at = (text: string) => integerAt(decodeEvent(`{"index":${text}}`) as object, "index");
  expect(["1", "1.0", "1e0", "true", "null", "-0", "1.5", "9007199254740993"].map(at)).toEqual([
    1,
    undefined,
    undefined,
    undefined,
    undefined,
    0,
    undefined,
    9007199254740992,
  ]);
});

test("events are read more widely than JSON, but not as anything", () => {
  expect(decodeEvent('{"a":"x\ny","b":NaN,"c":[-Infinity],"a":"z\t"}')).toEqual({ a: "z\t", b: null, c: [null] });
  expect(decodeEvent('"\\ud83d"')).toBe("\ud83d");
  expect(valuesOnLines('{"a":1} and more')).toEqual([{ a: 1 }]);
  const broken = ["", "{", "{'a':1}", "[1,]", '{"a":01}', '"\\\n"', '"\\x"', "NaN1", "\ufeff{}", "9".repeat(4301)];
  expect(broken.map(decodeEvent)).toEqual(broken.map(() => NOTHING));
  expect(decodeEvent("[".repeat(5000) + "]".repeat(5000))).toBe(NOTHING);
  expect(asJsonText({ a: "é\ud800", b: [] })).toBe('{"a":"\\u00e9\\ud800","b":[]}');
});

test("ids that cannot be kept are replaced, by the same ones every time", () => {
  const id = "chatcmpl/é-very-long-id-0123456789abcdef";
  const calls = [{ index: 0 }, { index: 1, id: "a" }, { index: 2, id: "a" }].map((each, at) => ({
    ...each,
    function: { name: `f${at}`, arguments: "" },
  }));
  const { adapter, deltas } = adapted("openai-chat", [{ ...chunk({ tool_calls: calls }), id }]);
  const ids = deltas.filter((delta) => delta.kind === "tool_call_start").map((delta) => delta.payload.toolCallId);
  expect(ids).toEqual(["call_chatcmpl_-very--f1c93e7e_0", "a", "call_chatcmpl_-very--f1c93e7e_2"]);
  expect([...adapter.providerIds]).toEqual([
    [ids[0], undefined],
    [ids[2], "a"],
  ]);
  for (const size of [0, 1, 55, 56, 63, 64, 65, 119, 200]) {
    const data = encode("é".repeat(size));
    expect(sha256(data)).toBe(createHash("sha256").update(data).digest("hex"));
  }
});

test("raw events are carried once, without credentials", () => {
  const event = { ...START, headers: { Authorization: "Bearer x", url: "https://a/?Key=abc&x=1" } };
  const { deltas } = adapted("anthropic-messages", [{ type: "ping" }, event, TEXT("x")], { keepRaw: true });
  const raws = deltas.map((delta) => (delta.providerRaw?.["events"] as unknown[] | undefined)?.length);
  expect(raws).toEqual([2, 1, undefined]);
  expect(JSON.stringify(deltas)).not.toMatch(/Bearer|abc/);
  expect(JSON.stringify(deltas)).toContain("https://a/?Key=[redacted]&x=1");
});

test("the start says author and form where the version has them", () => {
  const said = { author: { name: "Ada", agentPath: ["a", "b"] }, format: { name: "recipe" } };
  const start = (more: Partial<AdapterInit>): unknown =>
    open("openai-chat", more).identify({ modelId: "m", requestId: "r" })[0]?.payload;
  expect(start(said)).toEqual({ modelId: "m", requestId: "r", ...said });
  expect(start({ version: "v0.2" })).toEqual({ modelId: "m", requestId: "r" });
  expect(start({ author: "Ada" })).toMatchObject({ author: { name: "Ada" } });
  expect(start({ format: {} })).toEqual({ modelId: "m", requestId: "r", format: {} });
});

test.each<[string, object]>([
  ["usage/invalid-argument", { author: { name: "" } }],
  ["usage/invalid-argument", { author: { name: "a".repeat(513) } }],
  ["usage/invalid-argument", { author: { name: "\ud800" } }],
  ["usage/invalid-argument", { author: { agentPath: [] } }],
  ["usage/invalid-argument", { author: { agentPath: ["a", 7] } }],
  ["usage/invalid-argument", { author: { agentPath: Array.from({ length: 65 }, () => "a") } }],
  ["usage/invalid-argument", { author: { id: "x" } }],
  ["usage/invalid-argument", { author: "" }],
  ["usage/invalid-argument", { format: { name: "" } }],
  ["usage/invalid-argument", { format: { schema: {} } }],
  ["usage/invalid-argument", { author: "Ada", version: "v0.2" }],
  ["usage/invalid-argument", { format: {}, version: "v0.2" }],
  ["usage/unknown-version", { version: "v0.1" }],
  ["usage/unknown-version", { version: "v9" }],
])("%s: %j is refused", (rule, words) => {
  expect(() => open("openai-chat", words)).toThrow(expect.objectContaining({ rule }));
});

test("the caller may name, end and break a stream", () => {
  const adapter = open("anthropic-messages", { messageId: "m1" });
  expect(adapter.identify({ modelId: "given", requestId: "r" })).toMatchObject([{ kind: "start", messageId: "m1" }]);
  expect(adapter.feedError({ type: "overloaded_error", message: "busy" })).toMatchObject([
    { kind: "error", payload: { errorCode: "overloaded", message: "busy", retryable: true } },
  ]);
  expect(adapter.error).toEqual({ type: "overloaded_error", message: "busy" });
  expect([...adapter.feed(START), ...adapter.close(), ...adapter.abort("timeout", "late")]).toEqual([]);
  expect(rules(adapter)).toEqual(["adapter/after-end/1"]);
  const torn = open("openai-chat");
  expect(torn.feedTorn().at(-1)?.payload).toMatchObject({ errorCode: "truncated_stream" });
  const refused = open("openai-chat").abort("rate_limited", "wait", false);
  expect(refused.at(-1)?.payload).toEqual({ errorCode: "rate_limited", message: "wait", retryable: false });
});

test("usage waits for the end of the text that it would cut", () => {
  const usage = (count: number): object => ({ prompt_tokens: 1, completion_tokens: count });
  const { deltas } = adapted("openai-chat", [
    { ...chunk({ content: "a" }), usage: usage(1) },
    { ...chunk({ content: "b" }, { finish_reason: "stop" }), usage: usage(2) },
  ]);
  expect(deltas.map((delta) => delta.kind)).toEqual(["start", "text", "text", "usage", "done"]);
  expect(payloads(deltas, "usage")).toEqual([{ inputTokens: 1, outputTokens: 2, totalTokens: 3 }]);
});

test("an error amid server-sent events, bytes that are not text, an event beyond the limit", () => {
  const bare = new ByteAdapter(open("openai-chat"));
  const deltas = [...bare.feed(encode('data: {"choices":[]}\n\n{"error":{"code":429}}\n')), ...bare.close()];
  expect(deltas.at(-1)?.payload).toMatchObject({ errorCode: "rate_limited", message: "429" });
  const bytes = new ByteAdapter(open("openai-chat"), "jsonl");
  expect(bytes.feed(Uint8Array.of(0x7b, 0xff, 0x0a)).at(-1)?.kind).toBe("error");
  expect(rules(bytes.adapter)).toEqual(["framing/invalid-utf8"]);
  const cut = new ByteAdapter(open("openai-chat"), "jsonl");
  cut.feed(encode('{"choices":[]}\n{"choices":["ä').subarray(0, -1));
  expect(cut.close().at(-1)?.payload).toMatchObject({ errorCode: "truncated_stream" });
  const large = new ByteAdapter(open("openai-chat"), "auto", 16);
  expect(large.feed(encode(`[${JSON.stringify({ choices: ["too much"] })}]`)).at(-1)?.kind).toBe("error");
  expect(rules(large.adapter)).toEqual(["framing/event-too-large"]);
});

test("findings are bounded, and repeats are kept once", () => {
  const same = adapted(
    "anthropic-messages",
    Array.from({ length: 500 }, () => ({ type: "odd" })),
  );
  expect(rules(same.adapter)).toEqual(["adapter/unknown-event/0/type"]);
  const many = adapted(
    "anthropic-messages",
    Array.from({ length: 500 }, (_, index) => ({ type: `odd${index}` })),
  );
  expect(many.adapter.findings.length).toBe(200);
});

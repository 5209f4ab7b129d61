/** OpenAI Responses, Gemini and Bedrock Converse: what no fixture has, or a user relies on. */
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { MessageAssembler, type MessageDelta } from "../src/index.js";
import { parsePath, StreamedArguments } from "../src/providers/gemini/arguments.js";
import {
  BedrockConverseAdapter,
  ByteAdapter,
  GeminiAdapter,
  OpenAIResponsesAdapter,
  type ProviderAdapter,
} from "../src/providers/index.js";

const INIT = { clock: () => "2026-01-02T03:04:05Z" };
const responses = (): ProviderAdapter => new OpenAIResponsesAdapter("run_1", INIT);
const gemini = (): ProviderAdapter => new GeminiAdapter("run_1", INIT);
const bedrock = (): ProviderAdapter => new BedrockConverseAdapter("run_1", INIT);

const fed = (adapter: ProviderAdapter, events: readonly unknown[]): MessageDelta[] => [
  ...events.flatMap((event) => adapter.feed(event)),
  ...adapter.close(),
];
const rules = (adapter: ProviderAdapter): string[] => adapter.findings.map((each) => `${each.rule}${each.pointer}`);
const argsText = (deltas: readonly MessageDelta[]): string =>
  deltas.map((delta) => (delta.kind === "tool_call_args" ? delta.payload.argsTextDelta : "")).join("");
const text = (deltas: readonly MessageDelta[], kind: "text" | "thinking" = "text"): string =>
  deltas.map((delta) => (delta.kind === kind ? delta.payload.textDelta : "")).join("");
const last = (deltas: readonly MessageDelta[]): unknown => deltas.at(-1)?.payload;

function parts(deltas: readonly MessageDelta[]) {
  const assembler = new MessageAssembler();
  for (const delta of deltas) assembler.consume(delta);
  assembler.close();
  return assembler.buildFinalMessage().parts;
}

describe("OpenAI Responses", () => {
  const created = { type: "response.created", response: { id: "resp_1", model: "m" } };
  const completed = (output: unknown[]): object => ({
    type: "response.completed",
    response: { status: "completed", output },
  });
  const message = (said: string): object => ({
    type: "message",
    id: "msg_1",
    content: [{ type: "output_text", text: said }],
  });
  const delta = (said: string, more: object = {}): object => ({
    type: "response.output_text.delta",
    output_index: 0,
    content_index: 0,
    delta: said,
    ...more,
  });

  test("a text that comes five times is written once, and what comes later alone is added", () => {
    const adapter = responses();
    const deltas = fed(adapter, [
      created,
      { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1", content: [] } },
      delta("He"),
      { type: "response.output_text.done", output_index: 0, content_index: 0, text: "Hell" },
      { type: "response.output_item.done", output_index: 0, item: message("Hello") },
      completed([message("Hello")]),
    ]);
    expect([text(deltas), rules(adapter)]).toEqual(["Hello", []]);
    expect(parts(deltas)).toHaveLength(1);
  });

  test("halves of a character that came one by one are one character in the whole", () => {
    const adapter = responses();
    const added = { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } };
    const deltas = fed(adapter, [created, added, delta("a\ud83d"), delta("\ude00"), completed([message("a😀b")])]);
    expect([text(deltas), rules(adapter)]).toEqual(["a😀b", []]);
    expect(adapter.opaque.map(({ kind, start, end }) => [kind, start, end])).toEqual([["message", 0, 3]]);
  });

  test("what is kept of a message's parts says which characters it belongs to", () => {
    const adapter = responses();
    const annotations = [{ type: "url_citation" }];
    const content = ["😀", "b😀", "c"].map((said) => ({ type: "output_text", text: said, annotations, logprobs: [1] }));
    fed(adapter, [created, completed([{ type: "message", id: "msg_1", content }])]);
    expect(adapter.opaque.map(({ data, start, end }) => [data, start, end])).toEqual([
      [{ type: "message", id: "msg_1" }, 0, 4],
      [{ type: "output_text", annotations }, 0, 1],
      [{ type: "output_text", annotations }, 1, 3],
      [{ type: "output_text", annotations }, 3, 4],
    ]);
  });

  test("deltas are kept where the whole says something else", () => {
    const adapter = responses();
    const deltas = fed(adapter, [created, delta("left"), completed([message("right")])]);
    expect([text(deltas), rules(adapter)]).toEqual([
      "left",
      ["adapter/block-order/1/item_id", "adapter/text-mismatch/2/response/output/0"],
    ]);
  });

  test("calls wait for name and id, and an item that closes early may go on", () => {
    const call = (fields: object): object => ({ type: "function_call", id: "fc_1", ...fields });
    const adapter = responses();
    const deltas = fed(adapter, [
      created,
      { type: "response.output_item.added", output_index: 0, item: call({ arguments: "" }) },
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"a":' },
      { type: "response.output_item.done", output_index: 0, item: call({ name: "f", call_id: "c", arguments: "" }) },
      { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"a":1}' },
      completed([call({ name: "f", call_id: "c", arguments: '{"a":1}' })]),
    ]);
    expect(argsText(deltas)).toBe('{"a":1}');
    expect(parts(deltas)[0]?.payload).toMatchObject({ toolCallId: "c", arguments: { a: 1 } });
    expect(last(deltas)).toEqual({ finishReason: "tool_calls", providerFinishReason: "completed" });
  });

  test("kinds and ids cannot be taken for one another", () => {
    const item = (event: string, type: string, id: string): object => ({
      type: `response.output_item.${event}`,
      item: { type, id },
    });
    const adapter = responses();
    fed(adapter, [
      created,
      item("added", "web_search_call", "1x"),
      item("done", "web_search_call1", "x"),
      item("done", "web_search_call", "1x"),
      completed([]),
    ]);
    // Each where its item is done.
    expect(adapter.opaque.map((each) => each.kind)).toEqual(["web_search_call1", "web_search_call"]);
  });

  test("progress of tools says nothing, whatever its length; other events are unknown", () => {
    const adapter = responses();
    const types = [
      "response.mcp_call.in_progress",
      "response.web_search_call.done",
      `response.${"_call_a".repeat(20_000)}`,
    ];
    for (const type of [...types, "response._call.x", "response.compaction.x", "response.a.b.c"])
      adapter.feed({ type });
    expect(rules(adapter)).toEqual([
      "adapter/unknown-event/2/type",
      "adapter/unknown-event/3/type",
      "adapter/unknown-event/5/type",
    ]);
  });

  test("long streams cost what they are long", () => {
    const adapter = responses();
    const count = 50_000;
    let written = 0;
    for (let at = 0; at < count; at++) written += adapter.feed(delta("ab")).length;
    const whole = { type: "response.output_text.done", output_index: 0, content_index: 0, text: "ab".repeat(count) };
    expect([written, adapter.feed(whole), rules(adapter)]).toEqual([count + 1, [], ["adapter/block-order/0/item_id"]]);
  });
});

describe("Gemini", () => {
  const event = (given: readonly unknown[], more: object = {}): object => ({
    candidates: [{ content: { parts: given }, ...more }],
  });
  const STOP = { finishReason: "STOP" };

  test("names with underscores are those of the API, but for the user's own JSON", () => {
    const adapter = gemini();
    const args = { user_id: 1 };
    const deltas = fed(adapter, [
      {
        model_version: "m",
        response_id: "r",
        candidates: [{ content: { parts: [{ function_call: { name: "f", args } }] }, finish_reason: "STOP" }],
        usage_metadata: { prompt_token_count: 2, candidates_token_count: 3, thoughts_token_count: 4 },
      },
    ]);
    expect(argsText(deltas)).toBe('{"user_id":1}');
    expect(deltas.find((delta) => delta.kind === "usage")?.payload).toEqual({
      inputTokens: 2,
      outputTokens: 7,
      totalTokens: 9,
      reasoningTokens: 4,
    });
  });

  test("numbers and the order of members are those of the text", () => {
    const adapter = gemini();
    const piece = '{"json_path":"$.x","number_value":1.0}';
    const call = `{"name":"f","partial_args":[${piece}],"args":{"b":2.0,"10":1,"9":12345678901234567890}}`;
    const deltas = adapter.feedText(
      `{"response_id":"r","candidates":[{"content":{"parts":[{"function_call":${call},"z":1,"5":2}]}}]}`,
    );
    expect(argsText(deltas)).toBe('{"x":1.0,"b":2.0,"10":1,"9":12345678901234567890}');
    expect(adapter.opaque.map((each) => each.kind)).toEqual(["z", "5"]);
  });

  test("a signature goes with its text, in characters", () => {
    const adapter = gemini();
    fed(adapter, [
      event([{ text: "😀" }, { text: "é😀", thoughtSignature: "s" }]),
      event([{ text: "", thoughtSignature: "t" }], STOP),
    ]);
    expect(adapter.opaque.map(({ kind, start, end }) => [kind, start, end])).toEqual([
      ["thoughtSignature", 1, 3],
      ["part", 3, 3],
    ]);
  });

  test("an open call of an answer that was cut is not taken for complete", () => {
    const pieces = [{ jsonPath: "$.a", stringValue: "x", willContinue: true }];
    const call = event([{ functionCall: { name: "f", willContinue: true, partialArgs: pieces } }]);
    expect(argsText(fed(gemini(), [call, event([], { finishReason: "MAX_TOKENS" })]))).toBe('{"a":"x');
    expect(argsText(fed(gemini(), [call, event([], STOP)]))).toBe('{"a":"x"}');
  });

  test("paths are read as RFC 9535 writes them", () => {
    expect(parsePath("$.a[0]['b\\'\"']")).toEqual(["a", 0, "b'\""]);
    expect(parsePath('$["\\u00e9"].__proto__')).toEqual(["é", "__proto__"]);
    const wrong = ["", "a", "$", "$[0]", "$.*", "$.a.*.b", "$..a", "$.a[-1]", "$.a[1234567]", "$.a[*]", "$['a]", 1];
    expect(wrong.map(parsePath)).toEqual(wrong.map(() => undefined));
    expect(parsePath(`$${".a".repeat(101)}`)).toBeUndefined();
    expect(parsePath(`$.${"a".repeat(4095)}`)).toBeUndefined();
    expect(parsePath(`$.${"😀".repeat(4000)}`)).toHaveLength(1);
  });

  test("pieces in the order of the text are written as they come", () => {
    const args = new StreamedArguments();
    const pieces = [
      { jsonPath: "$.__proto__.x", stringValue: 'a"', willContinue: true },
      { jsonPath: "$.__proto__.x", stringValue: "\ud83d", willContinue: true },
      { jsonPath: "$.__proto__.x", stringValue: "\ude00" },
      { jsonPath: "$.l[0].n", numberValue: 5 },
      { jsonPath: "$.l[0].m", nullValue: null },
      { jsonPath: "$.l[1]", boolValue: false },
    ];
    const written = pieces.map((piece) => args.add(piece)).join("") + args.end();
    expect(written).toBe('{"__proto__":{"x":"a\\"😀"},"l":[{"n":5,"m":null},false]}');
    expect([args.again, args.broken]).toEqual([undefined, undefined]);
  });

  test("a member that is touched again comes once more at the end; what fits nowhere breaks the text", () => {
    const args = new StreamedArguments();
    const first = args.add({ jsonPath: "$.a.x", numberValue: 1 }) + args.add({ jsonPath: "$.b", numberValue: 2 });
    expect(args.add({ jsonPath: "$.a.y", stringValue: "z" })).toBe("");
    args.merge({ c: [1, { d: "e" }], b: 2 });
    expect(args.again).toBe("a");
    expect(first + args.end()).toBe('{"a":{"x":1},"b":2,"a":{"x":1,"y":"z"},"c":[1,{"d":"e"}]}');
    const whole = new StreamedArguments();
    whole.merge({ a: 1 });
    expect(whole.end()).toBe('{"a":1}');
    const broken = new StreamedArguments();
    expect(broken.add({ jsonPath: "$.l[1]", numberValue: 1 }) + broken.end()).toBe("{");
    expect(broken.broken).toBe("a piece that does not fit the others");
  });
});

describe("Bedrock Converse", () => {
  const delta = (contentBlockIndex: number, piece: object): object => ({
    contentBlockDelta: { contentBlockIndex, delta: piece },
  });
  const stop = { messageStop: { stopReason: "tool_use" } };

  test("bytes of AWS's own client are Base64 in what is kept", () => {
    const adapter = bedrock();
    const redacted = (piece: unknown): object => delta(0, { reasoningContent: { redactedContent: piece } });
    fed(adapter, [
      redacted(Uint8Array.of(1, 2)),
      redacted("Aw=="),
      delta(1, { odd: { b: [Uint8Array.of(255)] } }),
      stop,
    ]);
    expect(adapter.opaque.map((each) => each.data)).toEqual([
      { odd: { b: ["/w=="] } },
      { reasoningContent: { redactedContent: "AQID" } },
    ]);
  });

  test("pieces that are not Base64 are joined", () => {
    const adapter = bedrock();
    const redacted = (piece: string): object => delta(0, { reasoningContent: { redactedContent: piece } });
    fed(adapter, [redacted("A"), redacted("Aw=="), stop]);
    expect(adapter.opaque[0]?.data).toEqual({ reasoningContent: { redactedContent: "AAw==" } });
  });

  test("members of any name are data, also of what is kept whole", () => {
    const adapter = bedrock();
    const image = (body: string): unknown => JSON.parse(`{"contentBlockIndex":0,${body}}`);
    fed(adapter, [
      { contentBlockStart: image('"start":{"image":{"format":"png"}}') },
      { contentBlockDelta: image('"delta":{"image":{"__proto__":{"x":1}}}') },
      stop,
    ]);
    expect(JSON.stringify(adapter.opaque[0]?.data)).toBe('{"image":{"format":"png","__proto__":{"x":1}}}');
  });

  test("the stream ends with the usage behind messageStop, and takes more of it in peace", () => {
    const adapter = bedrock();
    const usage = {
      metadata: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 13, cacheReadInputTokens: 10 } },
    };
    const deltas = [stop, usage, usage].flatMap((event) => adapter.feed(event));
    expect(deltas.map((each) => each.kind)).toEqual(["start", "usage", "done"]);
    expect(deltas[1]?.payload).toMatchObject({ inputTokens: 11, totalTokens: 13, cacheReadTokens: 10 });
    expect([adapter.ended, rules(adapter)]).toEqual([true, []]);
    const within = { usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12, cacheReadInputTokens: 9 } };
    const without = { usage: { ...within.usage, cacheReadInputTokens: 11 } };
    const inputs = [within, without].map((metadata) => fed(bedrock(), [{ metadata }])[1]?.payload);
    expect(inputs).toMatchObject([{ inputTokens: 10 }, { inputTokens: 21 }]);
  });
});

describe("AWS frames", () => {
  const uint = (value: number, size: number): Buffer => {
    const data = Buffer.alloc(size);
    data.writeUIntBE(value, 0, size);
    return data;
  };
  function frame(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
    const all = Object.entries(headers).map(([name, value]) =>
      Buffer.concat([uint(name.length, 1), Buffer.from(name), uint(7, 1), uint(value.length, 2), Buffer.from(value)]),
    );
    const head = Buffer.concat(all);
    const prelude = Buffer.concat([uint(16 + head.length + Buffer.from(payload).length, 4), uint(head.length, 4)]);
    const body = Buffer.concat([prelude, uint(crc32(prelude), 4), head, Buffer.from(payload)]);
    return Buffer.concat([body, uint(crc32(body), 4)]);
  }
  const event = (name: string, payload: string): Buffer => frame({ ":event-type": name }, payload);
  function read(adapter: ProviderAdapter, data: Buffer, size = data.length): MessageDelta[] {
    const reader = new ByteAdapter(adapter);
    const deltas: MessageDelta[] = [];
    for (let at = 0; at < data.length; at += size) deltas.push(...reader.feed(data.subarray(at, at + size)));
    return [...deltas, ...reader.close()];
  }
  const TEXT = event("contentBlockDelta", '{"contentBlockIndex":0,"delta":{"text":"é"}}');
  const STOP = event("messageStop", '{"stopReason":"end_turn"}');

  test("frames become events, in any cut", () => {
    const data = Buffer.concat([TEXT, STOP]);
    for (const size of [1, 7, data.length]) {
      expect(read(bedrock(), data, size).map((each) => each.kind)).toEqual(["start", "text", "done"]);
    }
  });

  test("chunks carry events of the model's own format", () => {
    const inner = Buffer.from('{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}]}');
    const deltas = read(gemini(), event("chunk", JSON.stringify({ bytes: inner.toString("base64") })));
    expect(text(deltas)).toBe("x");
  });

  test("an exception, an error, and bytes that are not text end any stream", () => {
    const exception = { ":exception-type": "throttlingException" };
    const thrown = frame(exception, '{"message":"slow","originalStatusCode":429}');
    expect(last(read(responses(), thrown))).toEqual({ errorCode: "rate_limited", message: "slow", retryable: true });
    const error = frame({ ":error-code": "InternalFailure", ":error-message": "no" }, "");
    expect(last(read(bedrock(), error))).toMatchObject({ errorCode: "provider_internal", message: "no" });
    const adapter = bedrock();
    const bad = frame({ ":event-type": "x" }, Buffer.from([0xff]));
    expect(last(read(adapter, Buffer.concat([TEXT, bad, STOP])))).toMatchObject({ errorCode: "unknown" });
    expect(rules(adapter)).toEqual(["framing/invalid-utf8"]);
  });

  test("damage ends a stream as a broken connection, a cut as a truncated one", () => {
    const damaged = Buffer.concat([TEXT, STOP]);
    damaged[damaged.length - 6] = 0;
    expect(last(read(bedrock(), damaged))).toMatchObject({ errorCode: "connection", retryable: true });
    const cut = Buffer.concat([TEXT, STOP]).subarray(0, -3);
    expect(last(read(bedrock(), cut))).toMatchObject({ errorCode: "truncated_stream" });
    // What has come is whole: a torn frame behind it costs nothing.
    expect(last(read(bedrock(), Buffer.concat([STOP, TEXT.subarray(0, 20)])))).toMatchObject({ finishReason: "stop" });
  });
});

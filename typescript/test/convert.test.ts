/** Bridges between families: as they are called, and that there and back is the original. */
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { instantOf, textOf } from "../src/contract/times.js";
import {
  BridgeError,
  type BridgeResult,
  blocksToMessages,
  CONVERSIONS,
  type ConvertOptions,
  convert,
  LOSSES,
  lossesFor,
  messagesToBlocks,
  messagesToSession,
  responseToToolResult,
  resultToToolResult,
  sessionToMessages,
  sourceTypes,
  toolResultToResponse,
  toolResultToResult,
} from "../src/convert/index.js";
import { LAST_MS } from "../src/generated/tables/limits.js";
import { type blocks, type message, ReadError, read, type session, Unknown, validate } from "../src/index.js";
import { jsonText } from "../src/json/compact.js";
import * as documents from "./convert-documents.js";
import { difference } from "./convert-law.js";
import { ruleOf, thrown } from "./deltas.js";

const UUID = "0197c6f0-5a00-7000-8000-000000000001";
const TIME = "2026-01-02T03:04:05Z";
const TEXT = { kind: "text", payload: { text: "Hi" } };
const MESSAGE = { runId: "run_1", role: "user", parts: [TEXT], timestamp: TIME };
const RESULT_BLOCK = { type: "tool_result", tool_use_id: "a", content: "x", is_error: false };
const TYPE = { type: "message.Message" };

const places = ({ losses }: BridgeResult): string[] => losses.map(({ code, pointer }) => `${code} ${pointer}`);
const isValid = (value: unknown, type: string): boolean =>
  validate(value, type).every((each) => each.severity !== "error");

describe("a conversion", () => {
  test("says what it loses, and where", () => {
    const result = convert(MESSAGE, "blocks", TYPE);
    expect([result.type, result.value]).toEqual(["blocks.Message", [{ role: "user", content: "Hi" }]]);
    expect(result.losses).toEqual([
      { pointer: "/runId", code: "run-id", severity: "lossy", detail: LOSSES["run-id"][1] },
      { pointer: "/timestamp", code: "timestamp", severity: "lossy", detail: LOSSES.timestamp[1] },
    ]);
    expect(places(convert([MESSAGE], "blocks.Message", TYPE))).toEqual(["run-id /0/runId", "timestamp /0/timestamp"]);
    expectTypeOf(messagesToBlocks(MESSAGE).value).toEqualTypeOf<blocks.Message[]>();
    expectTypeOf(messagesToSession(MESSAGE).value).toEqualTypeOf<session.WithParts[]>();
    expectTypeOf(sessionToMessages([]).value).toEqualTypeOf<message.Message[]>();
  });

  test("takes JSON text, and gives one tool result for one", () => {
    const given = { toolCallId: UUID, isError: false, content: "4 °C" };
    const { value } = convert(new TextEncoder().encode(JSON.stringify(given)), "envelope", {
      type: "message.ToolResult",
      toolId: UUID,
      timestamp: TIME,
    });
    const made = {
      invocation_id: UUID,
      tool_id: UUID,
      result_type: "tool_result",
      data: { text: "4 °C" },
      created_at: TIME,
    };
    expect(value).toEqual(made);
    expect(convert([given], "envelope", { type: "message.ToolResult", toolId: UUID, timestamp: TIME }).value).toEqual([
      made,
    ]);
  });

  test("can be strict, but for the losses that are accepted", () => {
    const error = thrown(() =>
      convert(MESSAGE, "blocks", { ...TYPE, strict: true, accept: ["run-id"] }),
    ) as BridgeError;
    expect(error).toBeInstanceOf(BridgeError);
    expect([error.rule, error.findings.map((each) => each.pointer)]).toEqual(["bridge/lossy", ["/timestamp"]]);
    expect(error.losses).toHaveLength(2);
    expect(convert(MESSAGE, "blocks", { ...TYPE, strict: true, accept: ["run-id", "timestamp"] }).value).toHaveLength(
      1,
    );
  });

  test("that does not exist says which do", () => {
    expect(sourceTypes("message")).toEqual([
      "session.WithParts",
      "blocks.Message",
      "envelope.ToolResult",
      "envelope.ToolCallResponse",
    ]);
    const expected = (type: string | undefined, to: string) => {
      const error = thrown(() => convert(MESSAGE, to, { type } as ConvertOptions)) as BridgeError;
      return [error.rule, error.findings[0].expected];
    };
    expect(expected("message.Message", "telegram")).toEqual([
      "bridge/unsupported",
      "session or message or blocks or envelope",
    ]);
    expect(expected("message.Letter", "blocks")).toEqual(["bridge/unsupported", "message.Message"]);
    expect(expected("blocks.Message", "session")).toEqual(["bridge/unsupported", "message.Message"]);
    expect(expected(undefined, "blocks")).toEqual(["bridge/unsupported", "message.Message"]);
    for (const options of [undefined, null, "message.Message"]) {
      expect(ruleOf(() => convert([], "blocks", options as never))).toBe("usage/invalid-argument");
    }
  });

  test("checks all that it is given, needed or not", () => {
    const bad = [
      { agnet: "a" },
      { agent: "" },
      { cost: -1 },
      { timestamp: "now" },
      { makeId: 1 },
      { accept: "run-id" },
    ];
    for (const options of [...bad, { accept: ["constructor"] }, { ["__proto__"]: 1 }, { traceId: {} }]) {
      const work = () => convert(MESSAGE, "blocks", { ...TYPE, ...options } as ConvertOptions);
      expect([options, ruleOf(work)]).toEqual([options, "usage/invalid-argument"]);
    }
    const unset = { ...TYPE, agent: undefined, cost: null } as unknown as ConvertOptions;
    expect(convert(MESSAGE, "blocks", unset).value).toHaveLength(1);
  });

  test("refuses what is invalid at its place", () => {
    const error = thrown(() => convert([MESSAGE, { ...MESSAGE, runId: "" }], "session", TYPE)) as ReadError;
    expect(error).toBeInstanceOf(ReadError);
    expect([error.rule, error.findings[0].pointer]).toEqual(["shape/min-length", "/1/runId"]);
    const endless: Record<string, unknown> = {};
    endless["endless"] = endless;
    expect(ruleOf(() => convert([MESSAGE, { ...MESSAGE, meta: endless }], "blocks", TYPE))).toBe("document/too-deep");
  });

  test("leaves out what it does not know, and points past it", () => {
    const parts = [{ kind: "hologram", payload: {} }, { kind: "file_ref", payload: { path: "a" } }, TEXT];
    const newer = { ...MESSAGE, parts };
    const result = convert(newer, "blocks", TYPE);
    expect(places(result).slice(0, 2)).toEqual(["unknown-variant /parts/0", "file-ref /parts/1"]);
    const value = read(newer, "message.Message", { mode: "tolerant" });
    expect(value.parts[0]).toBeInstanceOf(Unknown);
    expect(convert(value, "blocks", TYPE)).toEqual(result);
  });

  test("that would be nested too deep is refused", () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 507; depth++) deep = { a: deep };
    const part = { id: "prt_1", sessionID: UUID, messageID: UUID, type: "text", text: "Hi", metadata: deep };
    const info = { id: UUID, role: "user", time: { created: 1 }, agent: "a", model: { providerID: "p", modelID: "m" } };
    const work = () => convert({ info, parts: [part] }, "message", { type: "session.WithParts" });
    expect(ruleOf(work)).toBe("bridge/unsupported");
  });

  test("for an older reader has the losses of that version", () => {
    const losses = convert({ ...MESSAGE, turnId: "t" }, "blocks", TYPE).losses;
    expect(lossesFor(losses, "v0.1").map((each) => each.code)).toEqual(["run-id", "timestamp"]);
    expect(lossesFor(losses, "v0.2")).toEqual(losses);
    expect(ruleOf(() => lossesFor([], "v9.9"))).toBe("usage/unknown-version");
  });
});

describe("a session", () => {
  test("has ids that are always the same, or the caller's", () => {
    const first = messagesToSession([MESSAGE, MESSAGE]).value;
    expect(messagesToSession([MESSAGE, MESSAGE]).value).toEqual(first);
    expect(first.map(({ info }) => info.id)).toEqual([
      "8d0f101e-779f-568b-870b-88605eee4b8f",
      "cf371cee-ba91-5041-8f0f-6923916745f5",
    ]);
    let made = 0;
    const makeId = () => `0197c6f0-5a00-7000-8000-${String(++made).padStart(12, "0")}`;
    expect(messagesToSession(MESSAGE, { makeId }).value[0]?.parts[0]?.id).toBe("0197c6f0-5a00-7000-8000-000000000002");
    expect(ruleOf(() => messagesToSession(MESSAGE, { makeId: () => "x" }))).toBe("usage/invalid-argument");
    expect(ruleOf(() => messagesToSession(MESSAGE, { makeId: (() => 1) as never }))).toBe("usage/invalid-argument");
  });

  test("keeps a message that was edited, as far as its record fits", () => {
    const before = messagesToSession(MESSAGE).value;
    const [stored] = sessionToMessages(before).value;
    expect(messagesToSession(stored).value).toEqual(before);
    const edited = { ...stored, parts: [{ kind: "text", payload: { text: "Bye" } }] };
    expect(messagesToSession(edited).value).toMatchObject([{ info: before[0]?.info, parts: [{ text: "Bye" }] }]);
    expect(places(messagesToSession({ ...edited, timestamp: "2026-01-02T03:04:06Z" }))).toContain(
      "record-misfit /meta/session",
    );
  });

  test("gives each id once", () => {
    const source = [MESSAGE, MESSAGE].map((each) => ({ ...each, messageId: UUID.toUpperCase() }));
    const result = messagesToSession([source[0], { ...source[1], messageId: UUID }]);
    expect(result.value.map(({ info }) => info.id === UUID.toUpperCase())).toEqual([true, false]);
    expect(places(result)).toContain("message-id /1/messageId");
  });

  test("holds results in the order of their calls", () => {
    const call = (toolCallId: string) => ({ kind: "tool_call", payload: { toolCallId, toolName: "t", arguments: {} } });
    const result = (toolCallId: string) => ({
      kind: "tool_result",
      payload: { toolCallId, isError: false, content: toolCallId },
    });
    const one = { ...MESSAGE, role: "assistant", parts: [call("a"), call("b")] };
    const tool = (...ids: string[]) => ({ ...MESSAGE, role: "tool", parts: ids.map(result) });
    const orders = [[tool("a", "b")], [tool("b", "a")], [tool("a"), tool("b")], [tool("c", "a"), tool("a")]];
    const lost = orders.map((answers) =>
      places(messagesToSession([one, ...answers])).filter((each) => /^result-/.test(each)),
    );
    expect(lost).toEqual([
      [],
      ["result-order /1/parts", "result-order /1/timestamp"],
      ["result-order /1/parts", "result-order /1/timestamp", "result-order /2"],
      ["result-without-call /1/parts/0", "result-without-call /2"],
    ]);
    const { value } = messagesToSession([one, tool("b", "a")]);
    expect(value[0]?.parts).toMatchObject([{ state: { output: "a" } }, { state: { output: "b" } }]);
  });

  test("does not take a record for a result that says the same in another form", () => {
    const call = { kind: "tool_call", payload: { toolCallId: "a", toolName: "t", arguments: {} } };
    const answer = { kind: "tool_result", payload: { toolCallId: "a", isError: false, content: "Hi" } };
    const history = [
      { ...MESSAGE, role: "assistant", parts: [call] },
      { ...MESSAGE, role: "tool", parts: [answer] },
    ];
    const [one, tool] = sessionToMessages(messagesToSession(history).value).value;
    expect(places(messagesToSession([one, tool]))).not.toContain("record-misfit /0/meta/session");
    const edited = { ...tool, parts: [{ kind: "tool_result", payload: { ...answer.payload, content: [TEXT] } }] };
    expect(places(messagesToSession([one, edited]))).toContain("record-misfit /0/meta/session");
  });

  test("says in meta.session what a message has no member for", () => {
    const part = { id: "prt_0", sessionID: UUID, messageID: UUID, type: "text", text: "Hi" };
    const tokens = { input: Number.MAX_SAFE_INTEGER, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };
    const info = {
      id: UUID,
      role: "assistant",
      time: { created: 1 },
      agent: "a",
      cost: 0,
      tokens,
      path: { cwd: "/", root: "/" },
    };
    const opaque = { provider: "p", data: {} };
    const told = [opaque, { ...opaque, more: 1 }].map((state) => {
      const [one] = sessionToMessages({ info, parts: [{ ...part, metadata: { opaque: state } }] }).value;
      expect(one?.meta?.usage?.totalTokens).toBe(Number.MAX_SAFE_INTEGER);
      return [one?.parts[0]?.payload, one?.meta?.["session"]];
    });
    const record = (row: object) => ({ sessionID: UUID, info: { ...info, role: undefined }, parts: [row] });
    expect(told).toEqual([
      [{ text: "Hi", opaque }, record({ id: "prt_0", type: "text" })],
      [{ text: "Hi" }, record({ id: "prt_0", type: "text", metadata: { opaque: { ...opaque, more: 1 } } })],
    ]);
  });

  test("takes no record that is none", () => {
    const rows = [{}, 1, { type: {} }, { type: "text" }, { type: "tool", state: 1 }, { type: "constructor" }];
    const records = ["abc", {}, [], 7, { info: {}, parts: [] }, { info: { id: UUID }, parts: {} }];
    for (const record of [...records, ...rows.map((row) => ({ info: { id: UUID }, parts: [row] }))]) {
      const found = places(messagesToSession({ ...MESSAGE, meta: { session: record } }));
      expect([record, found.includes("record-misfit /meta/session")]).toEqual([record, true]);
    }
    expect(places(messagesToSession({ ...MESSAGE, meta: { session: null } }))).not.toContain(
      "record-misfit /meta/session",
    );
  });
});

describe("blocks", () => {
  const joined = { blocks: { joined: true } };
  const answer = { kind: "tool_result", payload: { toolCallId: "a", isError: false, content: "x" } };
  const tool = { ...MESSAGE, role: "tool", parts: [answer] };

  test("of one message become several messages, and one again", () => {
    const given = [{ role: "user", content: [{ type: "text", text: "a" }, RESULT_BLOCK, { type: "text", text: "b" }] }];
    const there = blocksToMessages(given);
    expect(there.value.map(({ role, meta }) => [role, meta])).toEqual([
      ["user", undefined],
      ["tool", joined],
      ["user", joined],
    ]);
    expect(messagesToBlocks(there.value).value).toEqual(given);
  });

  test("are joined where results are beside other parts, and nowhere else", () => {
    const count = (...messages: object[]) => messagesToBlocks(messages).value.length;
    expect(count(MESSAGE, { ...tool, meta: joined })).toBe(1);
    expect(count(tool, { ...MESSAGE, meta: joined })).toBe(1);
    expect(count(MESSAGE, { ...MESSAGE, meta: joined })).toBe(2);
    expect(count(tool, { ...tool, meta: joined })).toBe(2);
    expect(count({ ...MESSAGE, role: "assistant" }, { ...tool, meta: joined })).toBe(2);
    expect(count(MESSAGE, { ...tool, parts: [], meta: joined })).toBe(2);
    expect(count(MESSAGE, { ...tool, meta: { blocks: { joined: false } } })).toBe(2);
    expect(count({ ...tool, meta: joined })).toBe(1);
  });
});

describe("tool results", () => {
  const result = (content: unknown, isError = false) => ({ toolCallId: "call_1", isError, content });

  test("carry parts as text with the members in the order of the schema", () => {
    const part = { payload: { url: "u", mimeType: "image/png" }, kind: "image" };
    const [made] = toolResultToResponse(result([part], true)).value;
    expect(made?.error?.message).toBe('[{"kind":"image","payload":{"mimeType":"image/png","url":"u"}}]');
    const back = responseToToolResult(made);
    expect(back.value[0]?.content).toEqual([part]);
    expect(places(back)).not.toContain("error-beside-data /error");
  });

  test("that only look like parts stay what they are", () => {
    for (const content of [[{ kind: "text", payload: {} }], [{ ...TEXT, more: 1 }], "x", 1]) {
      const given = result({ content });
      const there = toolResultToResult(given);
      expect(there.value[0]?.data).toEqual({ content });
      expect(resultToToolResult(there.value).value[0]?.content).toEqual({ content });
      expect(places(there).some((each) => each.startsWith("result-content"))).toBe(false);
    }
    expect(places(toolResultToResult(result({ content: [TEXT] })))).toContain("result-content /content");
  });

  test("as text have the numbers of every other language", () => {
    expect(jsonText({ a: [1, -0, 0.5, 1e-7, -1.5e-5, 1e21, 0.0001], "é\u2028": null })).toBe(
      '{"a":[1,0,0.5,1e-07,-1.5e-05,1e+21,0.0001],"é\u2028":null}',
    );
  });
});

describe("times", () => {
  test("agree with the calendar", () => {
    for (let ms = 0; ms <= LAST_MS; ms += 8_380_800_013_717) {
      expect([ms, instantOf(textOf(ms))]).toEqual([ms, { ms, exact: true }]);
    }
    expect(textOf(LAST_MS)).toBe("9999-12-31T23:59:59.999Z");
  });

  test.each([
    ["0000-01-01T00:00:00Z", -62_167_219_200_000, true],
    ["2024-02-29T23:59:59.123456789+08:00", 1_709_222_399_123, false],
    ["1970-01-01T00:00:00.12-00:30", 1_800_120, true],
  ])("%s is an instant", (text, ms, exact) => {
    expect(instantOf(text)).toEqual({ ms, exact });
  });
});

type Bridge = (values: unknown) => BridgeResult<unknown[]>;
const PAIRS: [string, Arbitrary<unknown>, Bridge, Bridge][] = [
  ["message.Message", documents.message, messagesToSession, sessionToMessages],
  ["session.WithParts", documents.session, sessionToMessages, messagesToSession],
  ["message.Message", documents.message, messagesToBlocks, blocksToMessages],
  ["blocks.Message", documents.blocksMessage, blocksToMessages, messagesToBlocks],
  ["message.ToolResult", documents.toolResult, toolResultToResult, resultToToolResult],
  ["envelope.ToolResult", documents.envelopeResult, resultToToolResult, toolResultToResult],
  ["message.ToolResult", documents.toolResult, toolResultToResponse, responseToToolResult],
  ["envelope.ToolCallResponse", documents.response, responseToToolResult, toolResultToResponse],
];

test("a law holds for every conversion", () => {
  expect(PAIRS).toHaveLength(CONVERSIONS.length);
});

test.each(PAIRS)("%s there and back is the original, but for what was reported (%#)", (type, one, there, back) => {
  const several = fc.array(one, { minLength: 1, maxLength: 5 }).map((all) => all.filter((each) => isValid(each, type)));
  const law = fc.property(several, (source) => {
    const before = structuredClone(source);
    const made = there(source);
    const again = back(made.value);
    expect(source).toEqual(before);
    expect(made.value.filter((each) => !isValid(each, made.type))).toEqual([]);
    expect(difference(read1(source, type), again.value, made.losses)).toBeUndefined();
  });
  fc.assert(law, { numRuns: 100 });
});

/** Returns documents as they are read. */
function read1(source: readonly unknown[], type: string): unknown[] {
  return source.map((each) => JSON.parse(JSON.stringify(read(each, type as "message.Message"))) as unknown);
}

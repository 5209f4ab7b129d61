/** Queue messages: made, read, held against each other; lists of tools; blocks of Base64. */
import { describe, expect, test } from "vitest";
import {
  AttemptsExhausted,
  checkReply,
  checkToolResults,
  decodePromptBlock,
  decodePromptBlocks,
  encodePromptBlock,
  encodePromptBlocks,
  evaluationRequest,
  evaluationResponse,
  getContextRequest,
  MESSAGE_TYPES,
  mayBeBase64,
  parse,
  parseAllowedTools,
  parseWithFindings,
  promptBlocksResponse,
  readingVersion,
  reportResultRequest,
  retryEvent,
  sniff,
  taskEvent,
  toolCallRequest,
  toolCallResponse,
  toolResult,
} from "../src/envelope/index.js";
import { readYamlList } from "../src/envelope/yaml.js";
import { LATEST_VERSION, type PartwireError, validate } from "../src/index.js";
import { ruleOf, thrown } from "./deltas.js";

const ID = "018f2b6a-0000-7000-8000-00000000000";
const task_id = `${ID}f`;
let made = 0;
const sending = { clock: () => "2026-01-02T03:04:05Z", makeId: () => `${ID}${made++ % 10}` };
const task = (fields = {}): ReturnType<typeof taskEvent> =>
  taskEvent({ task_id, payload: { a: 1 }, max_attempts: 2, ...fields }, { ...sending, traceId: "t1" });
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const placeOf = (work: () => unknown): (string | undefined)[] => {
  const [first] = (thrown(work) as PartwireError).findings;
  return [first.rule, first.pointer];
};
const places = (findings: readonly { rule: string; pointer: string; severity: string }[]): string[] =>
  findings.map(({ rule, pointer, severity }) => `${severity} ${rule}${pointer}`);

describe("messages", () => {
  test("are made whole, and say what they are", () => {
    const invocation_id = `${ID}e`;
    const result = toolResult({ invocation_id, tool_id: invocation_id, data: {} }, sending);
    const blocks = { system: "s", task: "t", allowed_tools: "[]", context_data: "", instruction: "i" };
    const messages = [
      task(),
      getContextRequest({ agent_id: task_id, task_id, globals: {} }, sending),
      promptBlocksResponse(blocks, sending),
      toolCallRequest({ invocation_id, tool_name: "t", tool_version: "1", args: {} }, sending),
      toolCallResponse({ invocation_id, data: {} }, sending),
      reportResultRequest({ task_id, tool_results: [result], task_results: {} }, sending),
      evaluationRequest({ task_id, task_results: {} }, sending),
      evaluationResponse({ task_id, status: "pass", score: 99.5, next_action: "none" }, sending),
      retryEvent(task(), sending),
    ];
    expect(messages.map(({ message_type }) => `envelope.${message_type}`)).toEqual(MESSAGE_TYPES);
    for (const message of messages) {
      const type = `envelope.${message.message_type}`;
      expect(validate(message, type)).toEqual([]);
      expect(sniff(bytes(message))).toEqual([type]);
    }
    expect(toolCallResponse({ invocation_id, error: { code: "x", message: "" } }, sending).success).toBe(false);
  });

  test("of which none can be made are refused", () => {
    expect(placeOf(() => task({ task_id: "x" }))).toEqual(["shape/min-length", "/task_id"]);
    expect(ruleOf(() => toolCallResponse({ invocation_id: task_id }, sending))).toBe("usage/invalid-argument");
    expect(ruleOf(() => taskEvent({ task_id, payload: {}, max_attempts: 1 }, {} as never))).toBe(
      "usage/invalid-argument",
    );
    const asked = { ...sending, version: "v0.9" };
    expect(ruleOf(() => evaluationRequest({ task_id, task_results: {} }, asked))).toBe("usage/unknown-version");
    const report = { task_id, tool_results: "none" as never, task_results: {} };
    expect(ruleOf(() => reportResultRequest(report, sending))).toBe("usage/invalid-argument");
  });

  test("are retried as often as their sender allows, by the version that the task has", () => {
    const first = retryEvent({ ...task(), schema_version: "v0.1" }, sending);
    expect(first).toMatchObject({ retry_count: 1, schema_version: "v0.1", trace_id: "t1", payload: { a: 1 } });
    expect(first).not.toHaveProperty("message_type");
    const second = retryEvent(first, { ...sending, version: "v0.2" });
    expect(second).toMatchObject({ retry_count: 2, schema_version: "v0.2", message_type: "RetryEvent" });
    expect(thrown(() => retryEvent(second, sending))).toBeInstanceOf(AttemptsExhausted);
    const same = { ...sending, makeId: () => first.message_id.toUpperCase() };
    expect(placeOf(() => retryEvent(first, same))).toEqual(["envelope/message-id-reused", "/message_id"]);
    expect(retryEvent({ ...task(), schema_version: "v0.7" }, sending).schema_version).toBe(LATEST_VERSION);
    expect(ruleOf(() => retryEvent({ ...task(), retry_count: "1" } as never, sending))).toBe("usage/invalid-argument");
    expect(ruleOf(() => retryEvent(null as never, sending))).toBe("usage/invalid-argument");
  });
});

describe("reading", () => {
  test("judges the version first, then the type, then the rest", () => {
    const message = { ...task(), extra: 1 };
    const of = (changes: object): Uint8Array => bytes({ ...message, ...changes });
    expect(parse("envelope.TaskEvent", of({}))).toEqual({ ...message, extra: undefined });
    expect(placeOf(() => parse("TaskEvent", of({ schema_version: "v1.0", task_id: 1 })))).toEqual([
      "envelope/unsupported-version",
      "/schema_version",
    ]);
    expect(placeOf(() => parse("RetryEvent", of({ task_id: 1 })))).toEqual([
      "envelope/message-type-mismatch",
      "/message_type",
    ]);
    expect(placeOf(() => parse("TaskEvent", of({ schema_version: 2 })))).toEqual(["shape/type", "/schema_version"]);
    const newer = parseWithFindings("TaskEvent", of({ schema_version: "v0.9" }));
    expect(places(newer.findings)).toEqual(["info envelope/newer-version/schema_version"]);
    expect(newer.value.schema_version).toBe("v0.9");
    expect(ruleOf(() => parse("TaskEvent", of({ schema_version: "v0.9" }), { mode: "strict" }))).toBe(
      "envelope/unsupported-version",
    );
    const old = parse("RetryEvent", of({ schema_version: "v0.1", message_type: "TaskEvent" }));
    expect(old).not.toHaveProperty("message_type");
    expect(ruleOf(() => parse("ToolResult" as never, of({})))).toBe("usage/unknown-type");
    expect(ruleOf(() => parse("TaskEvent", of({}), { mode: "any" as never }))).toBe("usage/unknown-mode");
    expect(ruleOf(() => readingVersion("0.1"))).toBe("envelope/unsupported-version");
  });

  test("says of text that is not a message what reading says, unless its version does", () => {
    const text = (tail: string): Uint8Array => new TextEncoder().encode(`{"schema_version":"v9.0","a":${tail}}`);
    expect(ruleOf(() => parse("Envelope", text("1e999")))).toBe("envelope/unsupported-version");
    expect(ruleOf(() => parse("Envelope", text('"\\ud800"')))).toBe("document/lone-surrogate");
    expect(ruleOf(() => parse("Envelope", text("tru")))).toBe("document/invalid-json");
    expect(ruleOf(() => parse("Envelope", []))).toBe("shape/type");
    expect(sniff([])).toEqual([]);
    expect(sniff({ constructor: 1, message_type: "toString" })).toEqual([]);
  });
});

describe("pairs", () => {
  test("belong together by task, count, ids and trace", () => {
    const before = task();
    const reply = {
      ...retryEvent(before, sending),
      task_id: `${ID}a`,
      retry_count: 0,
      message_id: before.message_id.toUpperCase(),
    };
    delete reply.trace_id;
    const found = checkReply({ type: "TaskEvent", value: before }, { type: "envelope.RetryEvent", value: reply });
    expect(places(found)).toEqual([
      "error envelope/task-mismatch/task_id",
      "error envelope/retry-not-raised/retry_count",
      "error envelope/message-id-reused/message_id",
      "warning envelope/trace-mismatch",
    ]);
    const wrong = { type: "TaskEvent", value: before } as never;
    expect(ruleOf(() => checkReply(wrong, wrong))).toBe("usage/invalid-argument");
    const none = { type: "RetryEvent", value: { ...reply, task_id: undefined } } as never;
    expect(ruleOf(() => checkReply({ type: "TaskEvent", value: before }, none))).toBe("usage/invalid-argument");
  });

  test("have the same results, whatever the order of members", () => {
    const results = { a: [1, { b: true }], __proto__: null, c: 2 };
    const report = reportResultRequest({ task_id, tool_results: [], task_results: results as never }, sending);
    const asked = evaluationRequest({ task_id, task_results: { c: 2, a: [1, { b: true }] } }, sending);
    const typed = { type: "ReportResultRequest", value: report } as const;
    expect(checkReply(typed, { type: "EvaluationRequest", value: asked })).toEqual([]);
    const other = { ...asked, task_results: { c: 2, a: [1, { b: 1 }] } };
    expect(places(checkReply(typed, { type: "EvaluationRequest", value: other }))).toEqual([
      "error envelope/results-changed/task_results",
    ]);
  });

  test("a report has a result of every call, and of no other", () => {
    const result = (last: string): ReturnType<typeof toolResult> =>
      toolResult({ invocation_id: ID + last, tool_id: task_id, data: {} }, sending);
    const report = reportResultRequest(
      { task_id, tool_results: [result("a"), result("b")], task_results: {} },
      sending,
    );
    expect(places(checkToolResults(report, new Set([`${ID}B`, `${ID}c`])))).toEqual([
      "error envelope/unknown-invocation/tool_results/0/invocation_id",
      "warning envelope/unanswered-invocation/tool_results",
    ]);
    expect(ruleOf(() => checkToolResults(report, ID))).toBe("usage/invalid-argument");
    expect(ruleOf(() => checkToolResults({} as never, []))).toBe("usage/invalid-argument");
  });
});

describe("allowed tools", () => {
  test("are a list of JSON or of plain YAML", () => {
    const lists: [string, string[]][] = [
      ['["a", " "]', ["a", " "]],
      ["[a, 'it''s', \"\\x41\\u00e9\"]", ["a", "it's", "Aé"]],
      ["--- # tools\n- a  # one\n-   b\n# two\n\n-\n  '1.0'\r\n", ["a", "b", "1.0"]],
      ["- >-\n  a\n- |-\n  b\n- y\n- a:b\n- 'c d'\n", ["a", "b", "y", "a:b", "c d"]],
      ['- 😀\n- https://a.b/c\n- _x\n- "\\\\ud800 \\"\\n"', ["😀", "https://a.b/c", "_x", '\\ud800 "\n']],
      ["[\n a\n , 'b',\n]", ["a", "b"]],
    ];
    for (const [text, names] of lists) expect([text, parseAllowedTools(text, readYamlList)]).toEqual([text, names]);
  });

  test("that are something else allow nothing", () => {
    const refused: [string, string][] = [
      ["\u00a0\x85", ""],
      ['{"a": 1}', ""],
      ['["a", ""]', "/1"],
      ["- a\n- b: c", "/1"],
      ["- a\n- ? b", "/1"],
      ["[a, b: c]", ""],
      ["[a, {b}]", ""],
      ["[ {b}]", "/0"],
      ["- a\n- !e!x b", "/1"],
      ["- a\n- !!str b", "/1"],
      ["- a\n- &x *y", "/1"],
      ["- a\n- *y", "/1"],
      ["&x\n- a", ""],
      ["- a\n-\n- b", "/1"],
      ["- a\n  b\n- *y", "/0"],
      ["- a\n- 1:30\n- *y", "/1"],
      ["- a\n- Yes", "/1"],
      ["- a\n- b:", "/1"],
      ["- 'a\n  b'", "/0"],
      ["- 'it''", "/0"],
      ['- a\n- "b\n---\n"', "/1"],
      ['- a\n- "\\U00110000"', "/1"],
      ['- a\n- "\\ud83d\\ude00"', "/1"],
      ["[a, , b]", ""],
      ["[a b", ""],
      ["- 'a\n  b': c", "/0"],
      ["- a\n]", ""],
      ["- a\nThese are all.\n- *b", ""],
      ["- a\n--- []", ""],
      ["%YAML 1.2\n---\n- a", ""],
      ["- a\n...\n", ""],
      ["- \u0007", ""],
      ["- a\tb", ""],
      ["- a\r- b", ""],
      [`- ${"x".repeat(65_536)}`, ""],
      ["[".repeat(60_000), "/0"],
      ["- ".repeat(30_000), "/0"],
      ["{a: ".repeat(15_000), ""],
    ];
    for (const [text, pointer] of refused) {
      expect([text.slice(0, 20), ...placeOf(() => parseAllowedTools(text, readYamlList))]).toEqual([
        text.slice(0, 20),
        "envelope/allowed-tools",
        pointer,
      ]);
    }
    expect(ruleOf(() => parseAllowedTools(["a"] as never))).toBe("usage/invalid-argument");
  });

  test("are JSON alone without a reader of YAML", () => {
    expect(parseAllowedTools('["a"]')).toEqual(["a"]);
    expect(placeOf(() => parseAllowedTools("[1]"))).toEqual(["envelope/allowed-tools", "/0"]);
    expect(ruleOf(() => parseAllowedTools("- a"))).toBe("usage/missing-extra");
  });
});

describe("prompt blocks", () => {
  test("go there and back", () => {
    const text = "Grüße 😀\n".repeat(9000);
    const block = encodePromptBlock(text);
    expect(decodePromptBlock(`\n ${block.replace(/(.{76})/g, "$1\r\n\x1c")}\n`)).toBe(text);
    const blocks = { system: "s", task: "", allowed_tools: "[]", context_data: "é", instruction: "i" };
    const response = promptBlocksResponse(blocks, sending);
    expect(decodePromptBlocks(encodePromptBlocks(response))).toEqual(response);
    expect(placeOf(() => decodePromptBlocks(response))).toEqual(["envelope/prompt-block", "/system"]);
  });

  test("that are not Base64 of text are refused", () => {
    for (const text of ["a", "ab==c", "QQ", "QR==", "Q===", "====", "/w==", "a-_b", "QQ==QQ==", "Ä", "7aCA"]) {
      expect([text, ...placeOf(() => decodePromptBlock(text))]).toEqual([text, "envelope/prompt-block", ""]);
    }
    expect(decodePromptBlock("")).toBe("");
    expect(["edit", "word.", ""].map(mayBeBase64)).toEqual([true, false, false]);
    expect(mayBeBase64("aGk=")).toBe(true);
    expect(ruleOf(() => encodePromptBlock("\ud800"))).toBe("document/lone-surrogate");
    expect(ruleOf(() => mayBeBase64(1 as never))).toBe("usage/invalid-argument");
  });
});

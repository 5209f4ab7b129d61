import { expect, test } from "vitest";
import {
  assemble,
  assembleAsync,
  checkHistory,
  HistoryChecker,
  MessageAssembler,
  repairHistory,
  type StreamProtocolError,
} from "../src/index.js";
import { Deltas, ruleOf, thrown } from "./deltas.js";

const timestamp = "2026-01-02T03:04:05Z";
const message = (role: string, ...parts: unknown[]) => ({ runId: "r", role, parts, timestamp });
const call = (toolCallId: string) => ({ kind: "tool_call", payload: { toolCallId, toolName: "t", arguments: {} } });
const result = (toolCallId: string) => ({
  kind: "tool_result",
  payload: { toolCallId, isError: false, content: "ok" },
});
const text = { kind: "text", payload: { text: "Hi" } };
const places = (messages: unknown[], options = {}) =>
  checkHistory(messages, options).map(({ rule, pointer }) => `${rule} ${pointer}`);

test("calls and results are matched over messages, whatever they are called", () => {
  const whole = [message("user", text), message("assistant", call("__proto__")), message("tool", result("__proto__"))];
  expect(places(whole)).toEqual([]);
  expect(places(whole.slice(0, 2))).toEqual(["history/unanswered-tool-call /1/parts/0/payload/toolCallId"]);
  expect(places(whole.slice(0, 2), { ongoing: true })).toEqual([]);
  expect(places([...whole, message("tool", result("__proto__"))])).toEqual([
    "history/duplicate-tool-result /3/parts/0/payload/toolCallId",
  ]);
});

test("a result that comes when its run has gone on is late, and a repair brings it back", () => {
  const late = [message("assistant", call("a")), message("user", text), message("tool", result("a"))];
  const found = checkHistory(late);
  expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([["history/late-tool-result", "warning"]]);
  expect(repairHistory(late).messages).toEqual([late[0], late[2], late[1]]);
});

test("the table of roles is that of the version asked for", () => {
  const image = message("assistant", {
    kind: "image",
    payload: { mimeType: "image/png", url: "https://x.test/a.png" },
  });
  expect(places([image])).toEqual([]);
  expect(places([image], { version: "v0.1" })).toEqual(["history/role-part-kind /0/parts/0/kind"]);
});

test("a checker forgets what it may, and tells lines", () => {
  const checker = new HistoryChecker({ remember: 1 });
  for (const id of ["a", "b", "c"]) {
    expect(checker.add(message("assistant", call(id)))).toEqual([]);
    expect(checker.add(message("tool", result(id)))).toEqual([]);
  }
  expect(checker.add(message("tool", result("c")), 7)[0]).toMatchObject({
    rule: "history/duplicate-tool-result",
    line: 7,
  });
  expect(checker.add(message("tool", result("a")))).toEqual([]);
  expect(checker.close().map((each) => each.rule)).toEqual(["history/orphan-tool-result"]);
});

test("what is not a history is refused, what is not a message is reported", () => {
  expect(ruleOf(() => checkHistory("text" as unknown as unknown[]))).toBe("usage/invalid-argument");
  expect(ruleOf(() => checkHistory(new Uint8Array(1) as unknown as unknown[]))).toBe("usage/invalid-argument");
  const holdsItself: unknown[] = [];
  holdsItself.push(holdsItself);
  expect(places([holdsItself, [1n]])).toEqual(["document/too-deep /0", "shape/type /1/0"]);
  expect(places([null, new TextEncoder().encode("{")])).toEqual(["shape/null /0", "document/invalid-json /1"]);
});

test("a repair names what it did, keeps what it can, and has nothing to do again", () => {
  const first = message("user", text);
  const second = new TextEncoder().encode(JSON.stringify({ ...message("assistant", call("a")), future: 1 }));
  const repaired = repairHistory([first, second, message("user", text)]);
  expect(repaired.changes.map(({ rule, action, result: place }) => [rule, action, place])).toEqual([
    ["history/unanswered-tool-call", "answer", "/2/parts/0"],
  ]);
  expect(repaired.messages[0]).toBe(first);
  expect(repaired.messages[1]).toBe(second);
  expect(checkHistory(repaired.messages)).toEqual([]);
  expect(repairHistory(repaired.messages).changes).toEqual([]);
  const policy = { "unanswered-tool-call": "vanish" } as unknown as { "unanswered-tool-call": "drop" };
  expect(ruleOf(() => repairHistory([first], { policy }))).toBe("usage/invalid-argument");
});

test("snapshots are messages of a history", () => {
  const make = new Deltas("r");
  const assembler = new MessageAssembler();
  for (const delta of [make.start(), make.call("a"), make.args("a", "{}"), make.end("a")]) assembler.consume(delta);
  expect(places([assembler.snapshot(), message("tool", result("a"))])).toEqual([]);
});

test("a stream is assembled from lines, bytes or deltas, at once or as it comes", async () => {
  const make = new Deltas();
  const deltas = [make.start(), make.text("Hé"), make.done()];
  const lines = deltas.map((delta) => JSON.stringify(delta));
  const whole = assemble(deltas);
  expect(whole.parts).toEqual([{ kind: "text", payload: { text: "Hé" } }]);
  expect(assemble(lines)).toEqual(whole);
  expect(assemble(new TextEncoder().encode(`\ufeff${lines.join("\r\n\n")}`))).toEqual(whole);
  async function* slowly(): AsyncGenerator<string> {
    for (const line of lines) yield await Promise.resolve(line);
  }
  expect(await assembleAsync(slowly())).toEqual(whole);
  const error = thrown(() => assemble(new TextEncoder().encode(`${lines[0]}\n\n{"kind":"text"}\n`))) as {
    findings: { line: number }[];
  };
  expect(error.findings[0]?.line).toBe(3);
  const again = thrown(() => assemble([...lines.slice(0, 2), lines[1] ?? ""])) as StreamProtocolError;
  expect([again.rule, again.seq, again.findings[0].line]).toEqual(["stream/seq-not-increasing", 1, 3]);
  expect(ruleOf(() => assemble(lines.slice(0, 2)))).toBe("stream/truncated");
  const newer = lines[1]?.replace('"text"', '"newer"') ?? "";
  expect(assemble([lines[0] ?? "", newer, ...lines.slice(2)], { mode: "tolerant" }).role).toBe("assistant");
  expect(ruleOf(() => assemble([lines[0] ?? "", newer]))).toBe("shape/unknown-variant");
  expect(ruleOf(() => assemble(3 as unknown as string[]))).toBe("usage/invalid-argument");
});

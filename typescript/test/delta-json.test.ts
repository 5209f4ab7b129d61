import fc from "fast-check";
import { expect, test } from "vitest";
import { PartwireError } from "../src/index.js";
import { decodeJson } from "../src/json/documents.js";
import { decodeDelta } from "../src/message/assembler/delta-json.js";

const TIME = "2026-01-02T03:04:05Z";
const TEXTS = [
  { kind: "text", runId: "run_1", seq: 0, payload: { textDelta: "4 °C\n" }, timestamp: TIME },
  { runId: "r😀", seq: 12, kind: "thinking", payload: { textDelta: '"\\' }, timestamp: TIME },
  { runId: "r", seq: 3, kind: "tool_call_args", payload: { toolCallId: "c", argsTextDelta: '{"a":' }, timestamp: TIME },
  { kind: "text", runId: "r", seq: 3, payload: { toolCallId: "c", textDelta: "" }, timestamp: "" },
  { runId: "r", seq: 3, kind: "text", payload: { argsTextDelta: "\u0000" }, timestamp: TIME },
].map((delta) => JSON.stringify(delta));
const HARD = [
  '{"kind":"text","runId":"r","seq":1,"kind":"text","payload":{"textDelta":""},"timestamp":""}',
  '{"runId":"r","seq":1,"payload":{"textDelta":""},"timestamp":""}',
  '{"runId":"r","seq":01,"kind":"text","payload":{"textDelta":""},"timestamp":""}',
  '{"runId":"r","seq":9007199254740993,"kind":"text","payload":{"textDelta":""},"timestamp":""}',
  '{"runId":"\\ud800","seq":1,"kind":"text","payload":{"textDelta":""},"timestamp":""}',
  '{"runId":"r","seq":1,"kind":"text","payload":{"textDelta":"\\udc00"},"timestamp":""}',
  '{"runId":"r","seq":1,"kind":"text","payload":{"textDelta":"\\ud83d\\ude00"},"timestamp":""}',
  '{"runId":"r","seq":1,"kind":"text","payload":{"textDelta":"\\x"},"timestamp":""}',
  '{"runId":"r","seq":1,"kind":"text","payload":{"textDelta":"\ud800"},"timestamp":""}',
  '{"runId": "r", "seq": 1, "kind": "text", "payload": {"textDelta": "e1000"}, "timestamp": ""}',
  '{"runId":"r","seq":1,"kind":"text","payload":{"textDelta":"\t"},"timestamp":""}',
];

/** Returns what comes of a text, with the order of the members, or the findings. */
function outcome(decode: (text: string) => unknown, text: string): string {
  try {
    return JSON.stringify(decode(text));
  } catch (error) {
    if (error instanceof PartwireError) return JSON.stringify(error.findings);
    throw error;
  }
}

test("the text of a delta is decoded as any other JSON text is", () => {
  for (const text of [...TEXTS, ...HARD]) expect(outcome(decodeDelta, text)).toBe(outcome(decodeJson, text));
});

test("in whatever way a delta is mistyped", () => {
  const piece = fc.constantFrom(
    "",
    '"',
    "\\",
    "\\u",
    "d800",
    " ",
    ",",
    ":",
    "{",
    "}",
    "0",
    "1e400",
    "é",
    "\ud800",
    "\n",
  );
  const change = fc.tuple(fc.nat(), fc.nat(3), piece);
  fc.assert(
    fc.property(fc.constantFrom(...TEXTS), fc.array(change, { minLength: 1, maxLength: 3 }), (whole, changes) => {
      let text = whole;
      for (const [place, gone, more] of changes) {
        const at = place % (text.length + 1);
        text = text.slice(0, at) + more + text.slice(at + gone);
      }
      expect(outcome(decodeDelta, text)).toBe(outcome(decodeJson, text));
    }),
    { numRuns: 3000 },
  );
});

test("however long it is", () => {
  const text = JSON.stringify({
    runId: "r",
    seq: 1,
    kind: "text",
    payload: { textDelta: "\n".repeat(1e6) },
    timestamp: "",
  });
  expect(decodeDelta(text)).toEqual(JSON.parse(text));
});

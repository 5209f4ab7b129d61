/** Documents of other formats as messages: the shared cases, and what JavaScript alone can bring. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FORMATS, type FormatContext, ReadError, read, UsageError } from "../src/formats/index.js";
import { toWire } from "../src/index.js";
import { ROOT } from "./fixtures.js";

interface Case {
  readonly name: string;
  readonly context?: FormatContext;
  readonly source?: unknown;
  readonly source_text?: string;
  readonly expect: unknown;
}

interface Topic {
  readonly format: string;
  readonly context: FormatContext;
  readonly cases: readonly Case[];
}

const FOLDER = join(ROOT, "fixtures", "formats");
const PNG = "iVBORw0KGgo=";
const topics = readdirSync(FOLDER)
  .map((name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as Topic)
  .filter(({ format }) => FORMATS.has(format));

/** What a document is read as, in the words of a case. */
function outcome(format: string, data: unknown, context?: FormatContext): unknown {
  try {
    const { messages, losses } = read(format, data, context);
    return {
      messages: messages.map((message) => toWire(message, "message.Message")),
      losses: losses.map(({ pointer, code }) => ({ pointer, code })),
    };
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    expect(error.findings.length).toBe(1);
    const [{ rule, pointer }] = error.findings;
    return { error: { rule, pointer } };
  }
}

function ruleOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof UsageError || error instanceof ReadError) return error.rule;
    throw error;
  }
  return "";
}

test("every format has cases", () => {
  expect(topics.map(({ format }) => format).sort()).toEqual([...FORMATS.keys()]);
});

describe.each(topics)("$format", ({ format, context, cases }) => {
  test.each(cases)("$name", (each) => {
    const data = each.source_text ?? each.source;
    const given = each.context ?? context;
    const before = JSON.stringify(data);
    expect(outcome(format, data, given)).toEqual(each.expect);
    expect(JSON.stringify(data)).toBe(before);
    if (each.source_text !== undefined) return;
    expect(outcome(format, before, given)).toEqual(each.expect);
    expect(outcome(format, new TextEncoder().encode(before), given)).toEqual(each.expect);
  });
});

test("a loss says how bad it is, and what", () => {
  const { losses } = read("openai-chat", [{ role: "user", content: "Hi", x: 1 }], { runId: "run_1" });
  expect(losses.at(-1)).toEqual({
    pointer: "/0/x",
    code: "foreign-member",
    severity: "lossy",
    detail: "A message has no place for this member",
  });
});

test("losses are bounded by code, and those left out are counted", () => {
  const odd = Object.fromEntries(Array.from({ length: 11_234 }, (_, number) => [`odd${number}`, 1]));
  const content = Array.from({ length: 10_002 }, () => ({ type: "odd" }));
  const { losses } = read("openai-chat", [{ role: "user", content, ...odd }]);
  expect(losses.length).toBe(20_004);
  expect(losses.filter(({ code }) => code === "losses-left-out").map(({ detail }) => detail)).toEqual([
    "More losses of this code are counted only: foreign-part, 2",
    "More losses of this code are counted only: foreign-member, 1,234",
  ]);
});

test("an alias is a name", () => {
  expect(read("anthropic", [{ role: "user", content: "Hi" }]).messages[0]?.runId).toBe("run");
  expect(FORMATS.get("openai-chat")?.title).toContain("OpenAI");
});

test.each<[string, () => unknown]>([
  ["usage/unknown-format", () => read("cobol", [])],
  ["usage/unknown-format", () => read("toString", [])],
  ["usage/invalid-argument", () => read("openai-chat", [], { runId: "" })],
  ["usage/invalid-argument", () => read("openai-chat", [], { timestamp: "2026-02-30T00:00:00Z" })],
  ["document/invalid-json", () => read("openai-chat", "{")],
  ["document/empty", () => read("openai-chat", "")],
  ["document/not-finite", () => read("openai-chat", [{ role: "user", content: Number.NaN }])],
  ["document/lone-surrogate", () => read("openai-chat", [{ role: "user", content: "\ud800" }])],
  ["shape/type", () => read("openai-chat", [{ role: "user", content: new Date(0) }])],
  ["document/too-deep", () => read("openai-chat", endless())],
  ["format/wrong-shape", () => read("openai-chat", null)],
])("%s: %s", (rule, call) => {
  expect(ruleOf(call)).toBe(rule);
});

function endless(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

test("bytes in a value are Base64", () => {
  const data = Uint8Array.from(atob(PNG), (char) => char.charCodeAt(0));
  const source = { type: "base64", media_type: "image/png", data };
  const { messages } = read("anthropic-messages", [{ role: "user", content: [{ type: "image", source }] }]);
  expect(messages[0]?.parts).toEqual([{ kind: "image", payload: { mimeType: "image/png", data: PNG } }]);
});

test("a long history takes time in proportion", () => {
  const call = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] };
  const history = Array.from({ length: 2000 }, () => [call, result]).flat();
  const { messages } = read("anthropic-messages", history);
  const ids = messages.flatMap(({ parts }) =>
    parts.map((part) => (part.kind === "tool_call" || part.kind === "tool_result" ? part.payload.toolCallId : "")),
  );
  expect(new Set(ids).size).toBe(2000);
  expect(ids.every((id, index) => index % 2 === 0 || id === ids[index - 1])).toBe(true);
});

/** Documents of other formats as messages: the shared cases, and what JavaScript alone can bring. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { assistant, toolCall, user } from "../src/build/index.js";
import * as aiSdk from "../src/formats/ai-sdk/index.js";
import {
  type Does,
  FORMATS,
  type FormatContext,
  type Loss,
  ReadError,
  type RunItem,
  read,
  reader,
  UsageError,
  write,
  writer,
} from "../src/formats/index.js";
import { StreamProtocolError, toWire } from "../src/index.js";
import { ROOT } from "./fixtures.js";

interface Case {
  readonly name: string;
  readonly context?: FormatContext;
  readonly source?: unknown;
  readonly source_text?: string;
  readonly messages?: readonly unknown[];
  readonly events?: readonly unknown[];
  readonly items?: readonly unknown[];
  readonly version?: string;
  readonly extensions?: boolean;
  readonly expect: Readonly<Record<string, unknown>>;
}

interface Topic {
  readonly format: string;
  readonly context: FormatContext;
  readonly cases: readonly Case[];
}

const FOLDER = join(ROOT, "fixtures", "formats");
const PNG = "iVBORw0KGgo=";
/** Cases of what TypeScript does with a format; Python may do more. */
const topics = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name): readonly [string, Topic] => [name, JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as Topic])
  .map(([file, topic]) => {
    const does = FORMATS.get(topic.format)?.does ?? [];
    return { file, ...topic, cases: topic.cases.filter((each) => does.includes(kindOf(each))) };
  })
  .filter(({ cases }) => cases.length > 0);

/** Which function a case is of. */
function kindOf(each: Case): Does {
  if (each.messages !== undefined) return "write";
  if (each.events !== undefined) return "reader";
  return each.items === undefined ? "read" : "writer";
}

/** What a call makes, in the words of a case. */
function outcome(make: () => readonly [made: object, losses: readonly Loss[]]): unknown {
  try {
    const [made, losses] = make();
    return { ...made, losses: losses.map(({ pointer, code }) => ({ pointer, code })) };
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    expect(error.findings.length).toBe(1);
    const [{ rule, pointer }] = error.findings;
    return { error: { rule, pointer } };
  }
}

/** What a document is read as. */
function readAs(format: string, data: unknown, context?: FormatContext): unknown {
  return outcome(() => {
    const { messages, losses } = read(format, data, context);
    return [{ messages: messages.map(wired) }, losses];
  });
}

/** What a stream is read as. */
function streamed(format: string, events: readonly unknown[], context?: FormatContext): unknown {
  return outcome(() => {
    const stream = reader(format, context);
    const items = [...events.flatMap((event) => stream.feed(event)), ...stream.finish()];
    return [{ items: items.map(wired) }, stream.losses];
  });
}

const wired = (item: RunItem): unknown => toWire(item, "role" in item ? "message.Message" : "message.MessageDelta");

/** Runs what a case gives, in each way that JavaScript has for it; returns what comes of each. */
function outcomes(format: string, each: Case, context: FormatContext): unknown[] {
  switch (kindOf(each)) {
    case "read": {
      if (each.source_text !== undefined) return [readAs(format, each.source_text, context)];
      const text = JSON.stringify(each.source);
      return [each.source, text, new TextEncoder().encode(text)].map((data) => readAs(format, data, context));
    }
    case "write":
      return [each.messages ?? [], (each.messages ?? []).map((message) => JSON.stringify(message))].map((messages) =>
        outcome(() => {
          const { document, losses } = write(format, messages, each);
          return [{ document }, losses];
        }),
      );
    case "reader": {
      const events = each.events ?? [];
      const texts = events.map((event) => (typeof event === "string" ? event : JSON.stringify(event)));
      return [streamed(format, events, context), streamed(format, texts, context)];
    }
    case "writer":
      return [
        outcome(() => {
          const stream = writer(format, each);
          const events = [...(each.items ?? []).flatMap((item) => stream.feed(item)), ...stream.finish()];
          return [{ events }, stream.losses];
        }),
      ];
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

test("every format has cases of all that is done with it", () => {
  const has = new Set(topics.flatMap(({ format, cases }) => cases.map((each) => `${format}: ${kindOf(each)}`)));
  const does = [...FORMATS.values()].flatMap((each) => each.does.map((what) => `${each.name}: ${what}`));
  expect([...has].sort()).toEqual(does.sort());
});

describe.each(topics)("$file", ({ format, context, cases }) => {
  test.each(cases)("$name", (each) => {
    const before = JSON.stringify(each);
    for (const made of outcomes(format, each, each.context ?? context)) expect(made).toEqual(each.expect);
    expect(JSON.stringify(each)).toBe(before);
  });

  const whole = cases.filter((each) => each.extensions === true && each.messages !== undefined);
  test.each(whole)("$name: read again", (each) => {
    const { messages } = read(format, each.expect["document"]);
    expect(messages.map(wired)).toEqual(each.messages);
  });
});

/** Puts `junk` in the place of one of the values below `value`, or drops it; `at` chooses which. */
function spoiled(value: unknown, at: number, junk: unknown): unknown {
  const made: unknown = structuredClone(value);
  const places: [Record<string, unknown>, string][] = [];
  const visit = (holder: unknown): void => {
    if (typeof holder !== "object" || holder === null) return;
    for (const [name, inner] of Object.entries(holder)) {
      places.push([holder as Record<string, unknown>, name]);
      visit(inner);
    }
  };
  visit(made);
  const [holder, name = ""] = places[at % places.length] ?? [{} as Record<string, unknown>];
  if (junk === undefined && !Array.isArray(holder)) delete holder[name];
  else holder[name] = junk ?? null;
  return made;
}

const JUNK = [
  undefined,
  null,
  true,
  -1,
  1e300,
  "",
  "x",
  [],
  [[]],
  [5],
  {},
  { type: "x" },
  { partwire: { messages: 5 } },
];

describe.each(topics)("$file, spoiled", ({ format, cases }) => {
  const sources = cases.flatMap(({ source }) => (typeof source === "object" && source !== null ? [source] : []));

  test.skipIf(sources.length === 0)("is read, or refused with findings", () => {
    const given = fc.tuple(fc.constantFrom(...sources), fc.nat(), fc.constantFrom(...JUNK));
    const property = fc.property(given, ([source, at, junk]) => {
      expect(ruleOf(() => read(format, spoiled(source, at, junk)))).toMatch(/^$|^format\/wrong-shape$/);
    });
    fc.assert(property, { numRuns: 400, seed: 1 });
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
  ["usage/unknown-format", () => write("cobol", [])],
  ["usage/invalid-argument", () => write("openai-chat", [])],
  ["usage/invalid-argument", () => write("ai-sdk", [], { version: "8" })],
  ["usage/invalid-argument", () => write("ai-sdk", "[]")],
  ["usage/invalid-argument", () => reader("openai-chat")],
  ["usage/invalid-argument", () => writer("openai-chat")],
  ["shape/required", () => write("ai-sdk", [{ role: "user" }])],
  ["document/invalid-json", () => write("ai-sdk", ["{"])],
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

test("an entry of a format alone reads and writes as the format by its name", () => {
  const history = [user("Is it raining?"), assistant(["Let me look.", toolCall("look", {})])];
  const { document, losses } = aiSdk.write(history, { version: "7" });
  expect({ document, losses }).toEqual(write("ai-sdk", history, { version: "7" }));
  expect(aiSdk.read(document, { runId: "run_1" })).toEqual(read("ai-sdk", document, { runId: "run_1" }));
  expect(aiSdk.write(history)).toEqual(write("ai-sdk", history, { version: FORMATS.get("ai-sdk")?.versions[0] }));
});

test("a long answer of AI SDK takes time in proportion, there and back", () => {
  const steps = Array.from({ length: 1500 }, (_, at) => {
    const step = { type: "tool-look", toolCallId: `c${at}`, state: "output-available", input: {}, output: "x" };
    const openai = { itemId: "rs_1" };
    const summary = { type: "reasoning", text: "x".repeat(40), providerMetadata: { openai } };
    return [{ type: "step-start" }, { type: "text", text: "a" }, step, summary];
  });
  const summaries = Array.from({ length: 5000 }, () => steps[0]?.[3]);
  const { messages } = read("ai-sdk", [{ id: "m", role: "assistant", parts: [...steps.flat(), ...summaries] }]);
  expect(messages.length).toBe(3000);
  const { document } = write("ai-sdk", messages, { extensions: true });
  expect(read("ai-sdk", document).messages).toEqual(messages);
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

test("ids that are minted, and taken already, take time in proportion", () => {
  const asked = (calls: readonly string[]): unknown[] =>
    calls.flatMap((id) => [
      { role: "user", content: "Look." },
      { role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] },
    ]);
  const idsOf = (history: readonly unknown[]): string[] =>
    read("anthropic-messages", history, { runId: "run_1" }).messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === "tool_call" ? [part.payload.toolCallId] : [])),
    );
  const added = vi.spyOn(Set.prototype, "add");
  onTestFinished(() => added.mockRestore());
  const work = [100, 200].map((count) => {
    const repeated = Array.from({ length: count }, () => "t");
    // Answers take the ids that would be minted for those behind them.
    const taken = idsOf(asked([...repeated, ...repeated])).slice(count);
    added.mockClear();
    expect(new Set(idsOf(asked([...taken, ...repeated]))).size).toBe(2 * count);
    return added.mock.calls.length;
  });
  expect(work[1]).toBeLessThan(3 * Number(work[0]));
});

test.each(["ai-sdk", "ag-ui"])("a writer of %s is for one stream", (format) => {
  const said = writer(format);
  said.feed(user("Is it raining?"));
  expect(said.finish().length).toBeGreaterThan(0);
  expect(() => said.feed(user("And now?"))).toThrow(StreamProtocolError);
  expect(said.finish()).toEqual([]);
});

import { describe, expect, expectTypeOf, test } from "vitest";
import { convert } from "../src/convert/index.js";
import { downgrade, load, migrate, store } from "../src/convert/versions/index.js";
import {
  canonical,
  checkHistory,
  decodeJson,
  dump,
  formatFinding,
  type message,
  ReadError,
  rawValue,
  read,
  readWithFindings,
  repairHistory,
  toWire,
  Unknown,
  unknownMembers,
  validate,
  WriteError,
} from "../src/index.js";
import { ruleOf, thrown } from "./deltas.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const TIME = "2026-01-02T03:04:05Z";
const user = (parts: unknown[]) => ({ runId: "r", role: "user", parts, timestamp: TIME });
const text = { kind: "text", payload: { text: "Hi" } };

describe("types", () => {
  test("tell variants apart by their tag, and absent from null", () => {
    expectTypeOf<Extract<message.MessagePart, { kind: "tool_call" }>>().toEqualTypeOf<message.ToolCallPart>();
    expectTypeOf<message.Message["meta"]>().toEqualTypeOf<message.MessageMeta | undefined>();
    expectTypeOf<null>().not.toExtend<message.Message["meta"]>();
    // @ts-expect-error an optional member is absent, and never undefined
    const wrong: message.TextPayload = { text: "a", opaque: undefined };
    expect(validate(wrong, "message.TextPayload").map((each) => each.rule)).toEqual(["shape/type"]);
  });

  test("have an Unknown where a newer peer's variant may be", () => {
    const strict = read(user([text]), "message.Message");
    expectTypeOf(strict).toEqualTypeOf<message.Message>();
    const tolerant = read(user([text]), "message.Message", { mode: "tolerant" });
    expectTypeOf(tolerant.parts).items.toEqualTypeOf<message.TolerantMessagePart>();
    const part = tolerant.parts[0];
    if (part === undefined || part instanceof Unknown) throw new Error("no known part");
    expectTypeOf(part.kind).toEqualTypeOf<message.MessagePart["kind"]>();
  });
});

describe("reading", () => {
  test("strictly drops unknown members and refuses unknown tags", () => {
    expect(read({ ...user([{ ...text, more: 1 }]), later: true }, "message.Message")).toEqual(user([text]));
    const error = thrown(() => read(user([{ kind: "hologram" }]), "message.Message")) as ReadError;
    expect(error).toBeInstanceOf(ReadError);
    expect(error.findings.map(({ rule, pointer }) => [rule, pointer])).toEqual([
      ["shape/unknown-variant", "/parts/0/kind"],
    ]);
  });

  test("says which members it leaves out", () => {
    const hologram = { kind: "hologram", more: 1 };
    const value = { ...user([{ ...text, "a/b": 1 }, hologram]), later: true, meta: { free: 1 } };
    expect(unknownMembers(value, "message.Message").sort()).toEqual(["/later", "/parts/0/a~1b"]);
    expect(unknownMembers(new TextEncoder().encode('{"x":1}'), "message.Message")).toEqual(["/x"]);
    expect(ruleOf(() => unknownMembers(new Uint8Array(), "message.Message"))).toBe("document/empty");
  });

  test("tolerantly keeps an unknown variant verbatim, and writes it back", () => {
    const newer = { kind: "hologram", payload: { depth: 3 }, __proto__: null };
    const { value, findings } = readWithFindings(user([newer, text]), "message.Message", { mode: "tolerant" });
    expect(value.parts[0]).toBeInstanceOf(Unknown);
    expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([["read/unknown-variant", "warning"]]);
    expect(JSON.parse(dump(value, "message.Message"))).toEqual(
      user([{ kind: "hologram", payload: { depth: 3 } }, text]),
    );
    expect(JSON.parse(JSON.stringify(value))).toEqual(toWire(value, "message.Message"));
  });

  test("never tolerantly takes an unknown status for success", () => {
    const given = { status: "superb" };
    const { value } = readWithFindings({ ...envelope(), ...given }, "envelope.EvaluationResponse", {
      mode: "tolerant",
    });
    expect(value.status).toBe("fail");
  });

  test("tolerantly takes null as absent, and says so", () => {
    const given = { ...user([{ kind: "text", payload: { text: "Hi", opaque: null } }]), meta: null };
    const { value, findings } = readWithFindings(given, "message.Message", { mode: "tolerant" });
    expect(value).toEqual(user([text]));
    expect(findings.map(({ rule, pointer }) => [rule, pointer])).toEqual([
      ["read/null-as-absent", "/parts/0/payload/opaque"],
      ["read/null-as-absent", "/meta"],
    ]);
    expect(ruleOf(() => read({ ...given, role: null }, "message.Message", { mode: "tolerant" }))).toBe("shape/null");
  });

  test("takes text as it takes bytes", () => {
    const wire = JSON.stringify(user([text]));
    expect(read(wire, "message.Message")).toEqual(read(bytes(wire), "message.Message"));
    expect(readWithFindings(wire, "message.Message", { mode: "tolerant" }).findings).toEqual([]);
    expect(validate(wire, "message.Message")).toEqual([]);
    expect(validate(wire.slice(1), "message.Message").map((each) => each.rule)).toEqual(["document/invalid-json"]);
    expect(read('"auto"', "message.ToolChoice")).toBe("auto");
    expect(unknownMembers('{"x":1}', "message.Message")).toEqual(["/x"]);
    expect(checkHistory([wire])).toEqual([]);
    expect(migrate(wire, "message.Message", { version: "v0.2" }).value).toBe(wire);
    expect(convert(wire, "blocks", { type: "message.Message" }).value).toHaveLength(1);
    const older = JSON.stringify({ ...user([text]), turnId: "t" });
    expect(downgrade(older, "message.Message", { to: "v0.1" }).value).toBe(wire);
    expect(load(store(JSON.parse(older), "message.Message"))).toEqual(JSON.parse(older));
    const call = { kind: "tool_call", payload: { toolCallId: "a", toolName: "t", arguments: {} } };
    const open = JSON.stringify({ ...user([call]), role: "assistant" });
    const { messages } = repairHistory([wire, open]);
    expect(messages.slice(0, 2)).toEqual([wire, open]);
    expect(read(messages[2], "message.Message").role).toBe("tool");
    expect(typeof messages[2]).toBe("string");
  });

  test("does not change what it is given", () => {
    const given = user([{ ...text, more: 1 }]);
    const before = structuredClone(given);
    read(given, "message.Message", { mode: "tolerant" });
    expect(given).toEqual(before);
  });
});

describe("an error says", () => {
  const wrong = (parts: unknown[]): ReadError => thrown(() => read(user(parts), "message.Message")) as ReadError;

  test("what, where, what was expected and what was there, one finding a line", () => {
    const error = wrong([{ kind: "text", payload: { text: 7 } }, { kind: "hologram" }]);
    expect(error.message.split("\n")).toEqual([
      "Not a string but a number at /parts/0/payload/text; expected a string; actual 7 [shape/type]",
      expect.stringMatching(
        /^.* at \/parts\/1\/kind; expected text, thinking, .*; actual "hologram" \[shape\/unknown-variant\]$/,
      ) as string,
    ]);
    expect(formatFinding(error.findings[0])).toBe(error.message.split("\n")[0]);
  });

  test("how many findings it does not spell out", () => {
    const last = (count: number): string[] => wrong(new Array(count).fill(1)).message.split("\n").slice(3);
    expect([3, 4, 9].map(last)).toEqual([
      [],
      ["and 1 more finding, in .findings"],
      ["and 6 more findings, in .findings"],
    ]);
  });

  test("the line and the file, and nothing that begins a line", () => {
    const finding = { rule: "a/b", message: "No", pointer: "/a\nb", severity: "error", line: 3 } as const;
    expect(formatFinding(finding)).toBe("line 3: No at /a\\u000ab [a/b]");
    expect(formatFinding({ ...finding, source: "f.json" })).toBe("f.json:3: No at /a\\u000ab [a/b]");
    expect(formatFinding({ ...finding, actual: "No" })).toBe(formatFinding(finding)); // said already
    const long = formatFinding({ ...finding, expected: "😀".repeat(200) });
    expect([long.includes(`${"😀".repeat(159)}…`), long.includes("😀".repeat(160))]).toEqual([true, false]);
  });
});

function envelope(): Record<string, unknown> {
  const id = "f47ac10b-58cc-4372-a567-0e02b2c3d479";
  const head = { message_id: id, sent_at: TIME, schema_version: "v0.2", task_id: id };
  return { ...head, status: "pass", score: 1, feedback: "", next_action: "none" };
}

test("a document may have more findings than a call takes arguments", () => {
  const many = 130_000;
  const error = thrown(() => read(user(new Array(many).fill(1)), "message.Message")) as ReadError;
  expect([error.findings.length, error.message.length < 1000]).toEqual([many, true]);
  expect(checkHistory([user(new Array(many).fill(1))]).length).toBe(many);
  const results = new Array(many).fill({
    kind: "tool_result",
    payload: { toolCallId: "a", isError: false, content: "" },
  });
  expect(checkHistory([user(results)]).length).toBe(2 * many);
  expect(repairHistory([user(results)]).changes.length).toBe(2 * many + 1);
});

test("unknown variants are ignored wherever they are, in time proportional to their number", () => {
  const call = { kind: "tool_call", payload: { toolCallId: "a", toolName: "t", arguments: {} } };
  const parts = Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? { kind: "new" } : call));
  const error = thrown(() =>
    read({ ...user(parts), role: "assistant" }, "message.Message", { mode: "tolerant" }),
  ) as ReadError;
  const places = error.findings.map(({ rule, pointer }) => `${rule} ${pointer}`);
  expect(places.length).toBe(9_999);
  expect(places.slice(0, 2)).toEqual([
    "message/duplicate-tool-call /parts/3/payload/toolCallId",
    "message/duplicate-tool-call /parts/5/payload/toolCallId",
  ]);
});

describe("member names of JavaScript", () => {
  const hostile =
    '{"kind":"tool_call","payload":{"toolCallId":"__proto__","toolName":"constructor","arguments":{"__proto__":{"x":1},"toString":2}}}';

  test("are data, in and out", () => {
    const part = read(bytes(hostile), "message.MessagePart");
    expect(dump(part, "message.MessagePart")).toBe(hostile);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    const beside = JSON.parse(hostile.replace('"kind"', '"__proto__":{"kind":"text"},"kind"')) as unknown;
    expect(dump(read(beside, "message.MessagePart"), "message.MessagePart")).toBe(hostile);
  });

  test("do not replace a member that is missing", () => {
    for (const document of [
      '{"__proto__":{"kind":"text","payload":{"text":"a"}}}',
      '{"kind":"toString","payload":{}}',
    ]) {
      expect(validate(bytes(document), "message.MessagePart").map((each) => each.rule)).toEqual([
        document.includes("toString") ? "shape/unknown-variant" : "shape/required",
      ]);
    }
    const inherited = Object.create({ kind: "text", payload: { text: "a" } }) as unknown;
    expect(validate(inherited, "message.MessagePart").map((each) => each.rule)).toEqual(["shape/type"]);
  });
});

describe("JSON text", () => {
  test.each([
    ["", "document/empty", ""],
    [" \n", "document/empty", ""],
    ['{"a":', "document/invalid-json", ""],
    ["\ufeff{}", "document/invalid-json", ""],
    ['{"a":NaN}', "document/not-finite", "/a"],
    ['{"a":[1,-Infinity]}', "document/not-finite", "/a/1"],
    ['{"a":1e999}', "document/not-finite", "/a"],
    ['{"a/b":"\\ud800"}', "document/lone-surrogate", "/a~1b"],
    ['{"\\ud800":1}', "document/lone-surrogate", "/\\ud800"],
    ['{"a":"\\ud800","a":1}', "document/invalid-json", ""],
    ["[".repeat(513) + "]".repeat(513), "document/too-deep", ""],
    [`[${"1".repeat(4301)}]`, "document/not-finite", ""],
    [`[-Infinity,${"1".repeat(4301)}]`, "document/not-finite", ""],
    [`[${"1".repeat(4301)},NaN`, "document/invalid-json", ""],
    ["{'a':1}", "document/invalid-json", ""],
    ['{"a":NaNx}', "document/invalid-json", ""],
    ['{"a":NaN1}', "document/invalid-json", ""],
    ['{"a":1NaN}', "document/invalid-json", ""],
    ['"NaN" "x"', "document/invalid-json", ""],
  ])("that no document may be is refused: %s", (document, rule, pointer) => {
    const error = thrown(() => decodeJson(bytes(document))) as ReadError;
    expect([error.findings[0].rule, error.findings[0].pointer]).toEqual([rule, pointer]);
  });

  test("that is not UTF-8 is refused", () => {
    expect(ruleOf(() => decodeJson(Uint8Array.of(0x22, 0xff, 0x22)))).toBe("document/invalid-utf8");
    expect(ruleOf(() => decodeJson('"\ud800"'))).toBe("document/lone-surrogate");
  });

  test("takes the last of duplicate names, and any nesting up to the limit", () => {
    expect(decodeJson(bytes('{"a":1,"a":2}'))).toEqual({ a: 2 });
    expect(decodeJson(bytes("[".repeat(512) + "]".repeat(512)))).toBeInstanceOf(Array);
    expect(decodeJson(bytes('"\\ud83d\\ude00"'))).toBe("😀");
  });
});

describe("values", () => {
  const holdsItself: unknown[] = [];
  holdsItself.push(holdsItself);

  test.each([
    [{ a: undefined }, "shape/type"],
    [{ a: 1n }, "shape/type"],
    [[() => 1], "shape/type"],
    [new Map(), "shape/type"],
    [[new Date(0)], "shape/type"],
    [[Number.NaN], "document/not-finite"],
    ["\udc00", "document/lone-surrogate"],
    [holdsItself, "document/too-deep"],
  ])("that are not JSON are refused: %#", (value, rule) => {
    expect(validate(value, "message.JsonObject")[0]?.rule).toBe(rule);
    expect(thrown(() => dump(value, "message.JsonObject"))).toBeInstanceOf(WriteError);
    expect(thrown(() => read(value, "message.JsonObject"))).toBeInstanceOf(ReadError);
  });
});

test("findings come in the order of the document", () => {
  const part = (index: number) => ({
    id: `prt_${index}`,
    sessionID: `0197c6f0-5a00-7000-8000-00000000000${index}`,
    messageID: "0197c6f0-5a00-7000-8000-000000000009",
    type: "step-start",
  });
  const info = {
    id: "0197c6f0-5a00-7000-8000-000000000009",
    role: "assistant",
    time: { created: 1 },
    cost: 0,
    tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
    agent: "build",
    path: { cwd: "/", root: "/" },
  };
  const found = validate({ info, parts: [1, 2, 3].map(part) }, "session.WithParts");
  expect(found.map((each) => `${each.rule} ${each.pointer}`)).toEqual([
    "session/part-session-id /parts/1/sessionID",
    "session/part-session-id /parts/2/sessionID",
  ]);
});

test("the canonical form is that of RFC 8785", () => {
  const sample = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  ) as unknown;
  expect(canonical(sample)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  expect(canonical({ "\ue000": 1, "😀": 2, __proto__: null, "10": 3, "9": -0 })).toBe(
    '{"10":3,"9":0,"😀":2,"\ue000":1}',
  );
  expect(ruleOf(() => canonical([Number.POSITIVE_INFINITY]))).toBe("document/not-finite");
});

describe("what a safe default is taken for", () => {
  const evaluation = {
    message_id: "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
    sent_at: "2025-07-15T02:03:04Z",
    schema_version: "v0.2",
    task_id: "190efc4c-3094-41d4-a6dc-4a0e140bd73e",
    status: "splendid",
    score: 92.5,
    next_action: "escalate_v2",
  };
  const type = "envelope.EvaluationResponse";
  const value = read(evaluation, type, { mode: "tolerant" }) as unknown as typeof evaluation;

  test("is kept by copies, and written back", () => {
    expect([value.status, value.next_action]).toEqual(["fail", "none"]);
    expect(rawValue(value, "next_action")).toBe("escalate_v2");
    expect(rawValue(value, "task_id")).toBeUndefined();
    for (const copy of [value, { ...value }, Object.assign({}, value)]) expect(toWire(copy, type)).toEqual(evaluation);
    expect(Reflect.ownKeys(toWire(value, type) as object).filter((key) => typeof key === "symbol")).toEqual([]);
  });

  test("gives way to what the member is set to", () => {
    const changed = { ...value, next_action: "retry" };
    expect(toWire(changed, type)).toEqual({ ...evaluation, next_action: "retry" });
    expect(rawValue(changed, "next_action")).toBeUndefined();
    expect(thrown(() => dump({ ...value, next_action: "escalate_v2" }, type))).toBeInstanceOf(WriteError);
    expect(thrown(() => dump(evaluation, type))).toBeInstanceOf(WriteError);
  });

  test("is refused by strict readers", () => {
    expect(validate(value, type).map((each) => each.pointer)).toEqual(["/status", "/next_action"]);
    expect(thrown(() => read(value, type))).toBeInstanceOf(ReadError);
    expect(toWire(read(value, type, { mode: "tolerant" }), type)).toEqual(evaluation);
  });

  test("survives a migration, and bridges see the default", () => {
    const meta = { incomplete: { ending: "moved", openToolCallIds: [] } };
    const message = { runId: "r", role: "assistant", parts: [], timestamp: "2026-01-02T03:04:05Z", meta };
    const given = read(message, "message.Message", { mode: "tolerant" });
    const older = migrate(given, "message.Message", { to: "v0.1", version: "v0.2" }).value;
    expect(toWire(older, "message.Message", { version: "v0.1" })).toEqual(message);
    const { losses, value: made } = convert(given, "blocks", { type: "message.Message" });
    expect(made).toHaveLength(1);
    expect(losses.map((loss) => loss.code)).not.toContain("unknown-variant");
  });
});

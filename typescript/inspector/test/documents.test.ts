import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkHistory, type Finding, type Message, repairHistory } from "partwire";
import { describe, expect, test } from "vitest";
import { families } from "../../src/generated/v0_3/index.js";
import { contractOf } from "../contract-data.js";
import { aboutPlace } from "../src/model/contract.js";
import { citedPieces, linkCalls, placeFindings, totalsOf } from "../src/model/conversation.js";
import { groupFindings } from "../src/model/groups.js";
import { decodedSize, mediaKind, safeName } from "../src/model/media.js";
import { type OpenedHistory, open } from "../src/model/opened.js";
import { type Place, placeOf, placeWithin } from "../src/model/places.js";
import { jsonLines, previewRepair, type Repair } from "../src/model/repair.js";
import { matrixOf, reportOf } from "../src/model/report.js";
import { firstOpen, marksOf, pathTo, type Row, rowsOf } from "../src/model/tree.js";
import { fittingTypes, nearestType } from "../src/model/types.js";
import { clipped, stretchesOf } from "../src/model/visible.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const fixture = (name: string) => JSON.parse(readFileSync(`${root}/fixtures/v0.3/${name}.json`, "utf8"));
const contract = contractOf(`${root}/schemas`);

function finding(pointer: string, more: Partial<Finding> = {}): Finding {
  return { rule: "shape/type", message: "Not a string", pointer, severity: "error", ...more };
}

describe("text that shows", () => {
  const codes = (text: string) => stretchesOf(text).flatMap(({ code }) => code ?? []);

  test.each([
    ["\u202egnp.exe", ["U+202E"]],
    ["a\u0000b\u001bc", ["U+0000", "U+001B"]],
    ["\u{e0041}\u{e0042}", ["U+E0041", "U+E0042"]],
    ["half \ud83d", ["U+D83D"]],
    ["a\u200bb\ufeff", ["U+200B", "U+FEFF"]],
    ["line\n\tfeed, مرحبا, 😀", []],
    ["👩‍👩‍👧", []],
    ["a\u200db", ["U+200D"]],
  ])("%j", (text, expected) => {
    expect(codes(text)).toEqual(expected);
    expect(
      stretchesOf(text)
        .map((each) => each.text)
        .join(""),
    ).toBe(text);
  });

  test("a clip cuts no pair of surrogates", () => {
    expect(clipped("ab😀", 3)).toBe("ab");
    expect(clipped("ab😀", 4)).toBe("ab😀");
  });
});

describe("the tree", () => {
  const keys = (rows: readonly Row[]) => rows.map(({ key, range }) => (range ? range.join("-") : (key ?? "")));

  test("lists what is open", () => {
    const value = { a: [1, { "x/y~": 2 }], b: "c" };
    const rows = rowsOf(value, (id) => id !== "/a/1");
    expect(rows.map(({ pointer }) => pointer)).toEqual(["", "/a", "/a/0", "/a/1", "/b"]);
    expect(rows.map(({ depth }) => depth)).toEqual([0, 1, 2, 2, 1]);
    expect(rowsOf(value, () => true).map(({ pointer }) => pointer)).toContain("/a/1/x~1y~0");
  });

  test("cuts 50,000 items into ranges, and a path leads through them", () => {
    const value = { list: Array.from({ length: 50_000 }, (_, index) => ({ index })) };
    const path = pathTo(value, "/list/20150/index");
    const rows = rowsOf(value, (id) => path.includes(id));
    expect(rows.length).toBeLessThan(320);
    expect(keys(rows).filter((key) => String(key).includes("-"))).toContain("20100-20200");
    expect(rows.at(rows.findIndex(({ pointer }) => pointer === "/list/20150/index"))?.value).toBe(20_150);
  });

  test("cuts an object of many members alike", () => {
    const value = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`k${index}`, index]));
    const path = pathTo(value, "/k140");
    const rows = rowsOf(value, (id) => path.includes(id));
    expect(keys(rows)).toEqual([
      "",
      "0-100",
      "100-200",
      ...Array.from({ length: 100 }, (_, at) => `k${100 + at}`),
      "200-250",
    ]);
  });

  test("opens few rows at first, however large the value is", () => {
    expect(firstOpen({ a: { b: 1 } })).toEqual(new Set(["", "/a"]));
    const many = Array.from({ length: 40 }, () => ({ a: [1, 2, 3, 4, 5, 6, 7, 8, 9] }));
    const open = firstOpen(many);
    expect(rowsOf(many, (id) => open.has(id)).length).toBeLessThan(70);
    const deep = JSON.parse(`${"[".repeat(2000)}${"]".repeat(2000)}`);
    expect(firstOpen(deep).size).toBeLessThan(100);
  });

  test("marks findings at their place, or at what is nearest, and counts them above", () => {
    const value = { parts: [{ text: "" }, {}] };
    const found = [finding("/parts/0/text"), finding("/parts/1/kind", { severity: "warning" }), finding("/parts/1")];
    const { at, below } = marksOf(value, found);
    expect([...at].map(([id, each]) => [id, each.length])).toEqual([
      ["/parts/0/text", 1],
      ["/parts/1", 2],
    ]);
    expect(below.get("/parts")).toEqual({ count: 3, severity: "error" });
    expect(below.get("")).toEqual({ count: 3, severity: "error" });
    expect(marksOf(value, [finding("/3/parts/0/text")], "/3").at.has("/3/parts/0/text")).toBe(true);
  });
});

describe("what the contract says", () => {
  const within = (place: Place | undefined, value: unknown, ...path: (string | number)[]) => {
    let here = value;
    let at = place;
    for (const key of path) {
      at = at && placeWithin(at, here, key);
      here = (here as Record<string | number, unknown>)[key];
    }
    return at && aboutPlace(at, here, contract);
  };

  test("of a member of a variant: its own words, type, version and constraints", () => {
    const message = { role: "tool", parts: [{ kind: "tool_result", payload: { isError: true, outcome: "denied" } }] };
    const place = placeOf("message.Message");
    expect(within(place, message, "parts", 0, "payload", "isError")).toEqual({
      description: "Whether the tool failed.",
      required: true,
      constraints: ["true or false"],
    });
    const outcome = within(place, message, "parts", 0, "payload", "outcome");
    expect(outcome).toMatchObject({ type: "message.Outcome", required: false, since: "v0.3" });
    expect(outcome?.constraints.at(-1)).toMatch(/^known values: success, error, denied/);
    expect(within(place, message, "role")?.constraints).toEqual(["one of system, user, assistant, tool"]);
    expect(within(place, message, "nothing")).toBeUndefined();
  });

  test("of a list, and nothing of a type that there is not", () => {
    expect(within(placeOf("message.Message[]"), [{ runId: "r" }], 0, "runId")).toMatchObject({
      type: "message.RunId",
      constraints: ["a string", "at least 1 character"],
    });
    expect(placeOf("message.Nothing")).toBeUndefined();
  });

  test("of every type and rule", () => {
    for (const [family, data] of Object.entries(families)) {
      for (const name of Object.keys(data)) expect(contract.types[family]?.[name]?.description, name).toBeTruthy();
    }
    const rules = Object.values(contract.rules);
    expect(rules.length).toBeGreaterThan(300);
    expect(rules.every(({ reason, zh, examples }) => reason && zh.reason && examples)).toBe(true);
    expect(contract.losses["opaque"]?.[0]).toBe("lossy");
  });
});

describe("the type of a document", () => {
  test.each(["message.Message", "message.MessageDelta", "message.ToolResult", "session.ToolState"])("%s", (type) => {
    const cases = fixture(`documents/${type}`).cases.filter(
      (each: { expect: { valid: boolean } }) => each.expect.valid,
    );
    for (const { document } of cases) expect(fittingTypes(document)).toContain(type);
  });

  test("of a list, of what is refused, and of anything else", () => {
    const text = { type: "text", text: "Hi" };
    expect(fittingTypes([text, text])).toContain("blocks.ContentBlock[]");
    expect(nearestType([text, { type: "text" }])).toMatch(/^blocks\..*\[\]$/);
    const [message] = fixture("documents/message.Message").cases;
    const broken = { ...message.document, role: "robot" };
    expect(fittingTypes(broken)).not.toContain("message.Message");
    expect(nearestType(broken)).toBe("message.Message");
    expect(fittingTypes({ hello: 1 })).toEqual([]);
    expect(nearestType({ hello: 1 })).toBeUndefined();
    expect(fittingTypes([])).toEqual([]);
  });
});

test("findings that differ in numbers alone are one, the errors first", () => {
  const many = Array.from({ length: 50_000 }, (_, index) => finding(`/${index}/role`, { severity: "warning" }));
  const groups = groupFindings([...many, finding("/1/role"), finding("/2/role", { source: "a" }), finding("/parts")]);
  expect(groups.map(({ first, all }) => [first.severity, first.pointer, all.length])).toEqual([
    ["error", "/1/role", 1],
    ["error", "/2/role", 1],
    ["error", "/parts", 1],
    ["warning", "/0/role", 50_000],
  ]);
});

describe("a conversation", () => {
  const at = "2026-01-02T03:04:05Z";
  const call = (toolCallId: string, kind = "tool_call") => ({
    kind,
    payload: { toolCallId, toolName: "t", arguments: {} },
  });
  const result = (toolCallId: string, kind = "tool_result") => ({
    kind,
    payload: { toolCallId, isError: false, content: "" },
  });
  const said = (role: string, ...parts: unknown[]) =>
    ({ runId: "r", role, parts, timestamp: at }) as unknown as Message;
  const linked = (messages: readonly Message[]) => {
    const links = linkCalls(
      messages,
      messages.map((_, index) => index),
    );
    return Object.fromEntries([...links].map(([key, { number }]) => [key, number]));
  };

  test("links results and approvals with their calls, also of reused ids, early and repeated ones", () => {
    const asked = { kind: "approval_request", payload: { approvalId: "a", toolCallId: "1" } };
    const answered = {
      kind: "approval_response",
      payload: { approvalId: "a", toolCallId: "other", decision: "approved" },
    };
    const messages = [
      said("tool", result("early")),
      said("assistant", call("1"), call("1"), call("1", "server_tool_call"), asked),
      said("tool", answered, result("1"), result("1"), result("1"), result("ghost")),
      said("assistant", result("1", "server_tool_result"), call("early")),
    ];
    expect(linked(messages)).toEqual({
      "part-1-0": 1,
      "part-1-1": 2,
      "part-1-2": 3,
      "part-1-3": 3,
      "part-2-0": 3,
      "part-2-1": 1,
      "part-2-2": 2,
      "part-2-3": 2,
      "part-3-0": 3,
      "part-3-1": 4,
      "part-0-0": 4,
    });
    const links = linkCalls(messages, [10, 11, 12, 13]);
    expect(links.get("part-11-0")?.results).toEqual([{ document: 12, part: 1 }]);
  });

  test("keeps runs apart", () => {
    const other = { ...said("tool", result("1")), runId: "s" };
    expect(linked([said("assistant", call("1")), other])).toEqual({ "part-0-0": 1 });
  });

  test("puts findings at documents and parts", () => {
    const placed = placeFindings([finding("/2/parts/1/payload"), finding("/2/role"), finding("/2")]);
    expect(placed.get(2)?.whole.length).toBe(2);
    expect([...(placed.get(2)?.parts.keys() ?? [])]).toEqual([1]);
  });

  test("sums usage and counts how messages ended", () => {
    const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5, cost: 0.5 };
    const answer = { ...said("assistant"), meta: { usage, finishReason: "stop" } } as Message;
    const totals = totalsOf([said("user"), answer, answer]);
    expect(totals).toMatchObject({
      counted: 2,
      finishReasons: [["stop", 2]],
      roles: [
        ["assistant", 2],
        ["user", 1],
      ],
    });
    expect(Object.fromEntries(totals.usage)).toEqual({ inputTokens: 6, outputTokens: 4, totalTokens: 10, cost: 1 });
  });

  test("cuts text behind what citations are about, in code points", () => {
    const source = { kind: "url" };
    const pieces = citedPieces("😀 rain. Sun", [
      { start: 2, end: 6, source },
      { source },
      { start: 0, end: 6, source },
    ]);
    expect(pieces).toEqual([
      { text: "😀 rain", notes: [1, 3] },
      { text: ". Sun", notes: [2] },
    ]);
    expect(citedPieces("all", [{ start: 0, end: 3, source }])).toEqual([{ text: "all", notes: [1] }]);
    const beyond = [3, 99].map((end) => ({ start: 0, end, source }));
    expect(citedPieces("all", beyond)).toEqual([{ text: "all", notes: [1, 2] }]);
  });

  test("opens what is wrong in a place only, and counts what is not a message", () => {
    const lines = [said("user", call("1")), "no message", said("assistant", { kind: "new", payload: {} })];
    const bytes = new TextEncoder().encode(lines.map((each) => JSON.stringify(each)).join("\n"));
    const opened = open({ id: 0, name: "x", bytes }, { as: "history" }) as OpenedHistory;
    expect(opened.places).toEqual([0, 2]);
    expect(opened.findings).toEqual(checkHistory(lines));
  });

  test("a message alone may have calls without results", () => {
    const bytes = new TextEncoder().encode(JSON.stringify(said("assistant", call("1"))));
    expect(open({ id: 0, name: "x", bytes }, { as: "message" })).toMatchObject({ view: "history", findings: [] });
  });
});

describe("the preview of a repair", () => {
  type Case = {
    name: string;
    messages: unknown[];
    ongoing?: boolean;
    repair?: { policy?: object; changes: unknown[] };
  };
  const cases: Case[] = ["approvals", "authors", "interrupted", "outcomes", "server-tools"]
    .flatMap((name) => fixture(`histories/${name}`).cases as Case[])
    .filter(({ repair }) => repair?.changes !== undefined);

  test.each(cases)("$name", ({ messages, ongoing = false, repair }) => {
    const { steps, left, messages: made } = previewRepair(messages, repair?.policy ?? {}, ongoing) as Repair;
    expect(steps.length).toBe(repair?.changes.length);
    for (const { change, before, after } of steps) {
      expect(before?.value).toBeDefined();
      expect(change.pointer.startsWith(before?.pointer ?? "none")).toBe(true);
      if (change.removed !== undefined) expect(before?.value).toEqual(change.removed);
      expect(after === undefined).toBe(change.result === undefined);
    }
    expect(left).toEqual(checkHistory(made, { ongoing }));
  });

  test("has the findings of a history that is refused", () => {
    expect(previewRepair([{}], {})).toContainEqual(expect.objectContaining({ rule: "shape/required", pointer: "/0" }));
    expect(previewRepair([{}], { "unreadable-message": "drop" })).toMatchObject({ messages: [], left: [] });
  });

  test("gives JSON Lines that are read again", () => {
    const [{ messages }] = cases as [Case];
    const repaired = repairHistory(messages).messages;
    const lines = jsonLines(repaired).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(repaired);
  });
});

test("media is shown by its type, and saved under a plain name", () => {
  expect(
    ["image/PNG", "image/svg+xml", "image/tiff", "audio/wav", "video/mp4;x=1", "text/html"].map(mediaKind),
  ).toEqual(["image", "image", "other", "audio", "video", "other"]);
  expect(["SGk=", "SGkh", ""].map(decodedSize)).toEqual([2, 3, 0]);
  expect(safeName("../../etc/pass\u202ewd")).toBe("pass_wd");
  expect(safeName("..")).toBe("media");
});

test("a report that is damaged keeps what can be shown", () => {
  const found = finding("/0");
  expect(reportOf({ findings: [null, { rule: 1 }, found, { ...found, severity: "fatal" }] }).findings).toEqual([found]);
  expect(reportOf({ findings: "none" }).findings).toEqual([]);
});

test("suites of several implementations are one matrix", () => {
  const row = (suite: string, passed: number) => ({ version: "v0.3", suite, counts: { passed } });
  const one = { name: "one", counts: {}, runs: [], suites: [row("a", 1), row("b", 2)] };
  const other = { name: "other", counts: {}, runs: [], suites: [row("b", 3)] };
  expect(matrixOf([one, other])).toEqual({
    columns: ["one", "other"],
    rows: [
      { suite: "v0.3 a", cells: [{ passed: 1 }, undefined] },
      { suite: "v0.3 b", cells: [{ passed: 2 }, { passed: 3 }] },
    ],
  });
});

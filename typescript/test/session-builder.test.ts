/** Messages of a session built part by part, the parts' factories, guards and checks. */
import { describe, expect, test } from "vitest";
import { Unknown, validate } from "../src/index.js";
import {
  createCompleted,
  createFilePart,
  createPending,
  createReasoningPart,
  createRunning,
  createStepFinishPart,
  createTextPart,
  createToolPart,
  getRequired,
  isFilePart,
  isTextPart,
  isToolPart,
  type MissingRequiredField,
  type Part,
  type PartValidationError,
  requirePart,
  type ToolPart,
  type ToolState,
  Uuid7Maker,
  uuid7,
  validatePart,
  visibleToModel,
  WithPartsBuilder,
} from "../src/session/index.js";
import { ruleOf, thrown } from "./deltas.js";

const SESSION = "018f2b6a-0000-7000-8000-000000000001";
const owner = [SESSION, SESSION] as const;
const tokens = { input: 1, output: 2, reasoning: 0, cache: { read: 0, write: 0 } };
const path = { cwd: "/work", root: "/" };

const assistant = (): WithPartsBuilder => WithPartsBuilder.forAssistant(SESSION, { created: 1, agent: "build", path });
const placesOf = (work: () => unknown): string[][] =>
  (thrown(work) as PartValidationError).findings.map(({ rule, pointer }) => [rule, pointer]);

describe("a builder", () => {
  test("makes a message whose calls move on at their place", () => {
    const builder = assistant();
    builder.addStepStart();
    const added = builder.addTool("c1", "search", createPending({ q: 1 }, '{"q":1}'));
    builder.addText("found");
    builder.move("c1", "running", { start: 2 });
    const moved = builder.move("c1", "completed", { output: "3 hits", end: 5 });
    expect(moved).toEqual({
      ...added,
      state: expect.objectContaining({ title: "search", time: { start: 2, end: 5 } }),
    });
    expect(added.state.status).toBe("pending");
    expect(placesOf(() => builder.build())).toEqual([
      ["shape/required", "/info"],
      ["shape/required", "/info"],
      ["session/not-completed", "/info/time"],
    ]);
    expect(builder.buildPartial().info).toMatchObject({ cost: 0, tokens: { input: 0 } });
    builder.setUsage(0.5, tokens);
    builder.complete(9);
    const message = builder.build();
    expect(message.parts.map(({ type }) => type)).toEqual(["step-start", "tool", "text"]);
    expect(message.info).toMatchObject({ id: builder.messageId, cost: 0.5, time: { created: 1, completed: 9 } });
    expect(message.parts.every((part) => part.messageID === builder.messageId)).toBe(true);
    expect(builder.check()).toEqual([]);
    expect(validate(message, "session.WithParts")).toEqual([]);
  });

  test("shares nothing with what it takes and gives", () => {
    const info = {
      id: SESSION,
      role: "user",
      time: { created: 1 },
      agent: "build",
      model: { providerID: "p", modelID: "m" },
    };
    const builder = new WithPartsBuilder(info as never, SESSION);
    const input = JSON.parse('{"__proto__": {"a": 1}}') as Record<string, never>;
    const state = createRunning(input, { start: 1, metadata: { a: [1] } });
    const part = createToolPart(...owner, "c1", "search", state);
    builder.add(part);
    info.agent = "other";
    Object.assign(part, { tool: "other" });
    (builder.parts[0] as ToolPart).tool = "other";
    (builder.buildPartial().parts[0] as ToolPart).tool = "other";
    const built = builder.buildPartial();
    expect(built.info.agent).toBe("build");
    expect(built.parts[0]).toMatchObject({ tool: "search" });
    expect(JSON.stringify(built.parts[0])).toContain('"input":{"__proto__":{"a":1}}');
  });

  test("says with the whole what is wrong with a part, and at once that a call is there twice", () => {
    const builder = assistant();
    builder.add({ type: "text" });
    builder.add({ type: "tool", callID: "c1", state: { status: "running" } });
    expect(ruleOf(() => builder.add({ type: "tool", callID: "c1" }))).toBe("session/duplicate-tool-call");
    expect(ruleOf(() => builder.addTool("c1", "t", createPending({}, "")))).toBe("session/duplicate-tool-call");
    expect(placesOf(() => builder.move("c1", "completed"))[0]).toEqual(["shape/required", "/parts/1"]);
    expect(placesOf(() => builder.move("c2", "completed"))).toEqual([["session/unknown-tool-call", ""]]);
    expect(placesOf(() => builder.buildPartial())).toContainEqual(["shape/required", "/parts/0"]);
    expect(builder.parts).toHaveLength(2);
    const holdsItself: Record<string, unknown> = {};
    holdsItself["self"] = holdsItself;
    expect(ruleOf(() => builder.add(holdsItself as never))).toBe("document/too-deep");
    expect(ruleOf(() => new WithPartsBuilder([] as never, SESSION))).toBe("usage/invalid-argument");
  });

  test("takes a state that was made elsewhere, if it may follow", () => {
    const builder = assistant();
    const running = createRunning({ q: 1 }, { start: 2 });
    builder.addTool("c1", "search", running);
    const ended = { output: "x", title: "t", metadata: {}, end: 9 };
    const refused: [ToolState, string, string][] = [
      [createCompleted({ q: 2 }, { ...ended, start: 2 }), "session/state-changed", "/input"],
      [createCompleted({ q: 1 }, { ...ended, start: 3 }), "session/state-changed", "/time"],
      [createPending({ q: 1 }, ""), "session/invalid-transition", "/status"],
      [createRunning({ q: 1 }, { start: 3 }), "session/state-changed", "/time"],
      [{ ...running, time: {} } as never, "shape/required", "/time"],
    ];
    for (const [state, ...place] of refused) expect(placesOf(() => builder.setState("c1", state))).toEqual([place]);
    expect(builder.setState("c1", createRunning({ q: 1 }, { start: 2, title: "u" })).state).toMatchObject({
      title: "u",
    });
    expect(builder.setState("c1", createCompleted({ q: 1 }, { ...ended, start: 2 })).state.status).toBe("completed");
  });

  test("gives a summary to users while the context is compacted", () => {
    const model = { providerID: "p", modelID: "m" };
    const head = { created: 1, agent: "build", model };
    const makeId = (): string => SESSION;
    const builder = WithPartsBuilder.forUser(SESSION, { ...head, makeId });
    expect(builder.addFile("text/plain", "file:///a").id).toBe(SESSION);
    builder.setSummary({ diffs: [] });
    expect(placesOf(() => builder.build())).toEqual([["session/summary-without-compaction", "/info/summary"]]);
    const compacting = WithPartsBuilder.forUser(SESSION, { ...head, compacting: true, messageId: SESSION });
    compacting.setSummary({ diffs: [] });
    expect(compacting.build().info).toMatchObject({ summary: { diffs: [] } });
    expect(ruleOf(() => compacting.setUsage(1, tokens))).toBe("usage/invalid-argument");
    expect(ruleOf(() => assistant().setSummary({ diffs: [] }))).toBe("usage/invalid-argument");
  });
});

describe("parts", () => {
  test("are made whole, or refused with the place", () => {
    const text = createTextPart(...owner, "Hi", { ignored: true });
    const reasoning = createReasoningPart(...owner, "Hm", { start: 1 });
    const finish = createStepFinishPart(...owner, "stop", 0, tokens);
    const file = createFilePart(...owner, "text/plain", "file:///a", { makeId: () => "f1" });
    const parts: Part[] = [text, reasoning, finish, file];
    for (const part of parts) expect(validatePart(part)).toEqual({ valid: true, findings: [] });
    expect(new Set(parts.map(({ id }) => id)).size).toBe(4);
    expect(placesOf(() => createReasoningPart(...owner, "Hm", { start: -1 }))).toEqual([
      ["shape/minimum", "/time/start"],
    ]);
    expect(visibleToModel([...parts, new Unknown("type", "video", { type: "video" })])).toHaveLength(4);
    expect([isTextPart(text), isFilePart(file), isToolPart(file), isTextPart(null)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("are checked with ids of other systems, and with bytes", () => {
    const file = { ...createFilePart(...owner, "a/b", "u"), sessionID: "s1", messageID: "" };
    const state = createCompleted({}, { output: "(no output)", title: "t", metadata: {}, start: 1, end: 2 });
    const part = { ...createToolPart(...owner, "c", "t", state), sessionID: "ses_1" };
    const whole = { ...part, state: { ...state, attachments: [file] } };
    const found = (idProfile: "uuid" | "opaque"): string[][] =>
      validatePart(whole, { idProfile }).findings.map(({ rule, pointer }) => [rule, pointer]);
    expect(found("opaque")).toEqual([
      ["shape/min-length", "/state/attachments/0/messageID"],
      ["session/placeholder-output", "/state/output"],
    ]);
    expect(found("uuid").map(([, pointer]) => pointer)).toContain("/sessionID");
    expect(whole.sessionID).toBe("ses_1");
    expect(requirePart(part, { idProfile: "opaque" })).toBe(part);
    expect(ruleOf(() => requirePart(part))).toBe("shape/min-length");
    expect(ruleOf(() => validatePart(part, { idProfile: "any" as never }))).toBe("usage/invalid-argument");
    expect(validatePart(new TextEncoder().encode("{")).findings[0]?.rule).toBe("document/invalid-json");
    expect(validatePart(undefined).valid).toBe(false);
  });

  test("say which member is missing", () => {
    const seen: MissingRequiredField[] = [];
    const part = { type: "text", id: null, constructor: 1 };
    expect(getRequired(part, "type")).toBe("text");
    expect(getRequired(new Unknown("type", "video", { type: "video", id: 3 }), "id")).toBe(3);
    for (const field of ["id", "toString"])
      expect(getRequired(part, field, (error) => seen.push(error))).toBe(undefined);
    expect(seen.map(({ field, rule }) => [field, rule])).toEqual([
      ["id", "session/missing-field"],
      ["toString", "session/missing-field"],
    ]);
    expect(ruleOf(() => getRequired(part, 1 as never))).toBe("usage/invalid-argument");
  });
});

describe("ids", () => {
  test("sort in the order of their making, whatever the clock does", () => {
    const times = [5, 5, 3, 7];
    const maker = new Uuid7Maker(
      () => times.shift() ?? 9,
      (count) => 2 ** count - 1,
    );
    expect([maker.next(), maker.next(), maker.next(), maker.next()]).toEqual([
      "00000000-0005-77ff-bfff-ffffffffffff",
      "00000000-0005-7800-8000-0000ffffffff",
      "00000000-0005-7800-8000-0001ffffffff",
      "00000000-0007-77ff-bfff-ffffffffffff",
    ]);
    const made = Array.from({ length: 2000 }, uuid7);
    expect([...made].sort()).toEqual(made);
    expect(validate({ ...createTextPart(...owner, ""), sessionID: made[0] }, "session.Part")).toEqual([]);
    expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

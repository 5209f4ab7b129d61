import { describe, expect, test } from "vitest";
import {
  createCompleted,
  createError,
  createPending,
  createRunning,
  expire,
  failPending,
  InvalidStateTransition,
  PartValidationError,
  pendingToRunning,
  runningToCompleted,
  runningToError,
  transition,
  validate,
} from "../src/index.js";
import { ruleOf, thrown } from "./deltas.js";

const input = { city: "Oslo" };

describe("a tool call", () => {
  test("goes from pending to completed, and shares nothing on the way", () => {
    const pending = createPending(input, '{"city":"Oslo"}');
    const running = transition(pending, "running", { start: 1, title: "Weather", metadata: { a: { b: 1 } } });
    const completed = transition(running, "completed", { output: "4 °C", end: 5, metadata: { c: 2 } });
    expect(completed).toEqual({
      status: "completed",
      input,
      output: "4 °C",
      title: "Weather",
      metadata: { a: { b: 1 }, c: 2 },
      time: { start: 1, end: 5 },
    });
    Object.assign(running.input, { city: "Bergen" });
    Object.assign(running.metadata?.["a"] as object, { b: 9 });
    expect([completed.input, completed.metadata["a"], pending.input]).toEqual([input, { b: 1 }, input]);
    expect(validate(completed, "session.ToolState")).toEqual([]);
  });

  test("moves under the names of the document", () => {
    const running = pendingToRunning(createPending(input, ""), { start: 1, title: "Weather" });
    expect(running).toEqual(createRunning(input, { start: 1, title: "Weather" }));
    const made = { output: "4 °C", title: "Weather", metadata: { a: 1 }, start: 1, end: 5 };
    expect(runningToCompleted(running, "4 °C", 5, { metadata: { a: 1 } })).toEqual(createCompleted(input, made));
    expect(runningToError(running, "no", 5)).toEqual(createError(input, { error: "no", start: 1, end: 5 }));
    expect(pendingToRunning(running, { start: 1 })).toBe(running);
  });

  test("that is moved to where it is stays the same object", () => {
    const running = createRunning(input, { start: 1, title: "t" });
    expect(transition(running, "running", { start: 1, title: "t" })).toBe(running);
    expect(transition(running, "running", { title: "u" })).toEqual({ ...running, title: "u" });
    expect(ruleOf(() => transition(running, "running", { start: 2 }))).toBe("session/state-changed");
  });

  test("cannot go back, and says what it could do", () => {
    const failed = createError(input, { error: "no", start: 1, end: 2 });
    const error = thrown(() => transition(failed, "running", { start: 3 })) as InvalidStateTransition;
    expect(error).toBeInstanceOf(InvalidStateTransition);
    expect(error.toDocument().details).toEqual({
      currentStatus: "error",
      attemptedStatus: "running",
      validTransitions: [],
    });
    expect(validate(error.toDocument(), "session.InvalidStateTransitionError")).toEqual([]);
    expect(ruleOf(() => transition(createPending(input, ""), "completed", {}))).toBe("session/invalid-transition");
    expect(ruleOf(() => transition(createPending(input, ""), "constructor", {}))).toBe("session/invalid-transition");
  });

  test("that took too long is ended by the owner of the clock", () => {
    const running = createRunning(input, { start: 1000 });
    expect(expire(running, 1999, 1000)).toBe(running);
    expect(expire(running, 2000, 1000)).toMatchObject({ status: "error", time: { start: 1000, end: 2000 } });
    expect(expire(running, 0, 0)).toMatchObject({ time: { start: 1000, end: 1000 } });
    expect(ruleOf(() => expire(running, -1, 0))).toBe("usage/invalid-argument");
  });

  test("that fails before it ran walks through running", () => {
    const failed = failPending(createPending(input, ""), "denied", 7);
    expect(failed).toEqual({ status: "error", input, error: "denied", time: { start: 7, end: 7 } });
    expect(failPending(failed, "denied", 7)).toBe(failed);
    const running = createRunning(input, { start: 7 }) as unknown as typeof failed;
    expect(ruleOf(() => failPending(running, "denied", 7))).toBe("session/state-changed");
  });

  test("without output wants a placeholder or is refused", () => {
    const given = { title: "t", metadata: {}, start: 1, end: 2 };
    expect(thrown(() => createCompleted(input, { ...given, output: "" }))).toBeInstanceOf(PartValidationError);
    const filled = createCompleted(input, { ...given, output: "", emptyOutput: "placeholder" });
    expect(filled.output).toBe("(no output)");
    expect(validate(filled, "session.ToolState").filter((each) => each.severity === "error")).toEqual([]);
  });

  test("keeps metadata called __proto__ as data", () => {
    const metadata = JSON.parse('{"__proto__":{"x":1}}') as Record<string, never>;
    const running = transition(createPending(input, ""), "running", { start: 1, metadata });
    expect(JSON.stringify(running.metadata)).toBe('{"__proto__":{"x":1}}');
  });

  test("takes the fields of its status alone", () => {
    expect(ruleOf(() => transition(createPending(input, ""), "running", { start: 1, output: "x" }))).toBe(
      "usage/invalid-argument",
    );
    expect(ruleOf(() => transition(createPending(input, ""), "running"))).toBe("usage/invalid-argument");
  });
});

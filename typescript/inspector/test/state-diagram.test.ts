import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { TRANSITIONS } from "../../src/generated/v0_3/vocabulary.js";
import { wayOf } from "../src/model/call-way.js";
import { statesOfCalls } from "../src/model/session.js";
import { type Diagram, layOut, NODE_HEIGHT, NODE_WIDTH } from "../src/model/state-diagram.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const table = TRANSITIONS["session.ToolState"] as Readonly<Record<string, readonly string[]>>;
const statuses = (states: readonly unknown[]) => wayOf(states).stops.map(({ status }) => status);
const problems = (states: readonly unknown[]) => wayOf(states).moves.flatMap(({ problem }) => problem ?? []);
const approval = (decision?: string) => ({ id: "a", time: { requested: 1000 }, ...(decision && { decision }) });

describe("the way of a call", () => {
  test("is inferred from what its state says", () => {
    const done = { status: "completed", time: { start: 2000, end: 3000 }, approval: approval("approved") };
    expect(wayOf([done])).toEqual({
      stops: [
        { status: "pending", inferred: true },
        { status: "awaiting_approval", at: 1000, inferred: true },
        { status: "running", at: 2000, inferred: true },
        { status: "completed", at: 3000 },
      ],
      moves: [
        { from: "pending", to: "awaiting_approval" },
        { from: "awaiting_approval", to: "running" },
        { from: "running", to: "completed" },
      ],
    });
    expect(statuses([{ status: "error", time: { start: 1, end: 2 } }])).toEqual(["pending", "running", "error"]);
    expect(statuses([{ status: "denied", approval: approval("denied") }])).toEqual([
      "pending",
      "awaiting_approval",
      "denied",
    ]);
  });

  test("goes on from one document to the next", () => {
    const running = { status: "running", time: { start: 5 } };
    expect(statuses([{ status: "pending" }, running, running, { status: "completed" }])).toEqual([
      "pending",
      "running",
      "completed",
    ]);
    expect(wayOf([{ status: "pending" }, { status: "completed" }]).stops[1]).toEqual({
      status: "running",
      inferred: true,
    });
  });

  test.each([
    ["back", [{ status: "completed" }, { status: "running" }], "A call that is completed cannot become running"],
    ["across", [{ status: "denied" }, { status: "running" }], "A call that is denied cannot become running"],
    ["without a yes", [{ status: "running", approval: approval() }], "The call runs, but nothing was decided"],
    ["against a no", [{ status: "running", approval: approval("no") }], "The call runs, but the decision is no"],
    [
      "against a yes",
      [{ status: "denied", approval: approval("approved") }],
      "The call is denied, but the decision is approved",
    ],
    ["before its time", [{ status: "error", time: { start: 500, end: 100 } }], "error is 0.4 s before running"],
    ["to no state", [{ status: "pending" }, { status: "exploded" }], "A call that is pending cannot become exploded"],
  ])("is not allowed %s", (_, states, problem) => {
    expect(problems(states)).toEqual([problem]);
    expect(layOut({ way: wayOf(states) }).edges.filter(({ mark }) => mark === "illegal")).toHaveLength(1);
  });

  test("of anything is a way", () => {
    for (const state of [undefined, null, {}, { status: 1 }, { status: "__proto__" }, { status: "exploded" }]) {
      expect(wayOf([state]).moves).toEqual([]);
    }
  });

  test("has no problem in what the builder of sessions makes", () => {
    const { cases } = JSON.parse(readFileSync(`${root}/fixtures/v0.3/session-builds/approvals.json`, "utf8"));
    const messages = cases.flatMap((each: { expect: { message?: unknown } }) => each.expect.message ?? []);
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) {
      const calls = statesOfCalls([message]);
      expect(calls.size).toBeGreaterThan(0);
      for (const states of calls.values()) expect(problems(states)).toEqual([]);
    }
  });
});

test("the states of a call are those of one part of one message", () => {
  const document = (id: string, status: string) => ({
    info: { id },
    parts: [{ type: "text" }, { type: "tool", id: "p", callID: "c", state: { status } }],
  });
  const found = statesOfCalls([
    document("m", "pending"),
    document("n", "pending"),
    document("m", "running"),
    document("m", "running"),
    5,
  ]);
  expect([...found].map(([key, states]) => [key, states.length])).toEqual([
    ["0/1", 1],
    ["1/1", 1],
    ["2/1", 2],
    ["3/1", 2],
  ]);
});

describe.each(["right", "down"] as const)("the diagram to the %s", (direction) => {
  const size = { width: NODE_WIDTH, height: NODE_HEIGHT };
  const inside = ({ width, height, nodes }: Diagram) =>
    nodes.every(({ x, y }) => x >= 0 && y >= 0 && x + size.width <= width && y + size.height <= height);

  test("has every state and move of the contract, and no state over another", () => {
    const diagram = layOut({ direction });
    const { nodes, edges } = diagram;
    expect(nodes.map(({ status }) => status).sort()).toEqual(Object.keys(table).sort());
    expect(edges.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(
      Object.entries(table)
        .flatMap(([from, followers]) => followers.map((to) => `${from} ${to}`))
        .sort(),
    );
    expect(inside(diagram)).toBe(true);
    for (const [index, one] of nodes.entries()) {
      for (const other of nodes.slice(index + 1)) {
        const apart = Math.abs(one.x - other.x) >= size.width || Math.abs(one.y - other.y) >= size.height;
        expect(apart, `${one.status} and ${other.status}`).toBe(true);
      }
    }
    const along = direction === "right" ? "x" : "y";
    const at = new Map(nodes.map((node) => [node.status, node[along]]));
    for (const { from, to } of edges) expect(at.get(to) ?? 0, `${from} to ${to}`).toBeGreaterThan(at.get(from) ?? 0);
  });

  test("draws no move over a state that it does not concern", () => {
    const { nodes, edges } = layOut({ direction });
    for (const { from, to, d } of edges) {
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = (d.match(/[\d.]+/g) ?? []).map(Number);
      for (const { status, x, y } of nodes.filter((node) => node.status !== from && node.status !== to)) {
        for (let t = 0; t <= 1; t += 0.05) {
          const at = (a: number, b: number, c: number, e: number): number =>
            a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t ** 2 * (1 - t) + e * t ** 3;
          const [px, py] = [at(x0, x1, x2, x3), at(y0, y1, y2, y3)];
          const isOver = px > x && px < x + size.width && py > y && py < y + size.height;
          expect(isOver, `${from} to ${to} over ${status}`).toBe(false);
        }
      }
    }
  });

  test("marks the way, and what is not allowed", () => {
    const way = wayOf([{ status: "completed", time: { start: 1, end: 2 } }, { status: "pending" }]);
    const diagram = layOut({ way, direction });
    expect(diagram.nodes.filter(({ mark }) => mark !== "").map(({ status, mark }) => [status, mark])).toEqual([
      ["pending", "current"],
      ["running", "inferred"],
      ["completed", "passed"],
    ]);
    const marked = diagram.edges.filter(({ mark }) => mark !== "").map(({ from, to, mark }) => `${from} ${to} ${mark}`);
    expect(marked).toEqual(["pending running taken", "running completed taken", "completed pending illegal"]);
    expect(inside(diagram)).toBe(true);
  });
});

import { stringify } from "partwire";
import { expect, test } from "vitest";
import { heldBy, open } from "../src/model/opened.js";
import { rowsOf } from "../src/model/tree.js";

const source = (text: string) => ({ id: 0, name: "a", bytes: new TextEncoder().encode(text) });

test("what only the command line reads is named, with the command", () => {
  const given = source('{"parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Hi"}}');
  const [held] = heldBy(given);
  expect(held).toEqual({ as: "claude-code", history: true });
  const opened = open(given, held ?? {});
  expect(opened).toMatchObject({ view: "nothing", reason: expect.stringContaining("partwire inspect FILE") });
});

test("events of a format that the page does not read are no fault of the page", () => {
  const given = source('{"event":"content-block-start"}\n');
  expect(open(given, { as: "langchain", run: true })).toMatchObject({ view: "nothing" });
});

test("integers that a number cannot hold keep their digits", () => {
  const text = '{"a":[9007199254740993],"b":9007199254740995}';
  const opened = open(source(text), { as: "json" });
  if (opened.view !== "json") throw new Error(opened.view);
  expect(stringify(opened.value)).toBe(text);
  const shown = rowsOf(opened.value, () => true).flatMap(({ digits }) => digits ?? []);
  expect(shown).toEqual(["9007199254740993", "9007199254740995"]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { PartialJson } from "../src/message/assembler/index.js";

function shown(...pieces: string[]): PartialJson {
  const parser = new PartialJson();
  for (const piece of pieces) parser.feed(piece);
  return parser;
}

/** Tells whether `later` shows all that `earlier` shows: strings and arrays only grow. */
function grows(earlier: unknown, later: unknown): boolean {
  if (typeof earlier === "string") return typeof later === "string" && later.startsWith(earlier);
  if (typeof earlier !== "object" || earlier === null) return Object.is(earlier, later) || earlier === later;
  if (typeof later !== "object" || later === null) return false;
  return Object.entries(earlier).every(
    ([name, member]) => Object.hasOwn(later, name) && grows(member, (later as Record<string, unknown>)[name]),
  );
}

const objects = fc.dictionary(fc.string({ unit: "binary", maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), {
  maxKeys: 4,
});

test("a whole text shows its value, however it is cut, and only grows on the way", () => {
  fc.assert(
    fc.property(objects, fc.boolean(), fc.infiniteStream(fc.integer({ min: 1, max: 5 })), (value, isPretty, cuts) => {
      const text = JSON.stringify(value, null, isPretty ? 2 : 0);
      const parser = new PartialJson();
      let before: unknown = {};
      for (let at = 0; at < text.length; ) {
        const size = cuts.next().value as number;
        parser.feed(text.slice(at, at + size));
        at += size;
        const whole = shown(text.slice(0, at));
        expect(parser.value()).toEqual(whole.value());
        expect(parser.broken).toBe(whole.broken);
        expect(grows(before, parser.value())).toBe(true);
        before = parser.value();
      }
      expect(parser.broken).toBe(false);
      expect(JSON.stringify(parser.value())).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("a text is broken with the first character that no continuation mends", () => {
  const continuable = (text: string): boolean => !shown(text).broken;
  for (const text of [
    '{"a',
    '{"a":tr',
    '{"a":-',
    '{"a":1.',
    '{"a":1e+',
    '{"a":"\\u12',
    '{"a":"\\ud83d\\u',
    " \n{",
    '{"a":[ ',
  ]) {
    expect([text, continuable(text)]).toEqual([text, true]);
  }
  for (const text of [
    "[",
    "x",
    "{}x",
    '{"a" 1',
    '{"a":trx',
    '{"a":01',
    '{"a":1.e',
    '{"a":"\\x',
    '{"a":"\\udc00',
    '{"a":"\\ud83dx',
    '{"a":"\n',
    '{"a":1,}',
    '{"a":[1,]',
    '{"a":NaN',
    '{"a":1e999,',
  ]) {
    expect([text, continuable(text)]).toEqual([text, false]);
  }
});

test.each([
  ['{"n":12', {}],
  ['{"n":12,', { n: 12 }],
  ['{"n":true', {}],
  ['{"key', {}],
  ['{"key":', {}],
  ['{"key":"', { key: "" }],
  ['{"s":"a\\u00e', { s: "a" }],
  ['{"s":"a\\ud83d\\ude0', { s: "a" }],
  ['{"s":"a\\ud83d\\ude00', { s: "a😀" }],
  ['{"a":[{"b":[1,2', { a: [{ b: [1] }] }],
  ['{"a":1,"a":"x', { a: "x" }],
  ['{"a":"x","b":"\\q', { a: "x", b: "" }],
])("%s shows what is certain", (text, value) => {
  expect(shown(text).value()).toEqual(value);
});

test("__proto__ is a name like any other", () => {
  const value = shown('{"__proto__":{"a":1},"b":{"__proto__":').value();
  expect(Object.keys(value)).toEqual(["__proto__", "b"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("nesting ends at the depth that is given", () => {
  const parser = new PartialJson(2);
  parser.feed('{"a":[');
  expect(parser.broken).toBe(false);
  parser.feed("[");
  expect([parser.broken, parser.value()]).toEqual([true, { a: [] }]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeEvent, EventDecoder, NOTHING } from "../src/providers/core/event-json.js";
import { asJsonText } from "../src/providers/core/spelling.js";

const TEXTS = [
  "",
  "a",
  "Hm, ",
  "4 °C",
  "\\n",
  "\\\\",
  '\\"',
  "\\",
  '"',
  '","x":"y',
  "\\ud800",
  "\ud800",
  "\u0001",
  "12",
  "12:",
];
const NUMBERS = ["0", "7", "15", "-1", "1.0", "1e5", "01", "9007199254740993", "123456789012345", '"7"', "null"];

/** Forms of events; the holes are two texts and a number. */
const FORMS: readonly ((one: string, other: string, count: string) => string)[] = [
  (one, other, count) =>
    `{"id":"a","seq":${count},"choices":[{"index":0,"delta":{"content":"${one}"}}],"more":"${other}"}`,
  (one, other, count) => `{"type": "piece", "delta": {"${other}": "${one}"}, "counts": [${count}, 2]}\n`,
  (one, other, count) => `{"type":"piece","text":"${one}","text":"${other}","seq":${count}}`,
  (one, other, count) => `{"type":"piece","__proto__":{"text":"${one}"},"10":"${other}","9":${count}}`,
  (one, other, count) => `{"type":"a hole, number 0","text":"${one}","n":987654321000,"more":["${other}",${count}]}`,
  (one) => `{"text":"${one}","text":"","more":"a hole, number 0"}`,
];

/** Returns what there is to see of a value: also the order of its members, and how its numbers are written. */
const seen = (value: unknown): unknown => (value === NOTHING ? value : [value, asJsonText(value)]);

test("an event is what its text says, whatever came before it", () => {
  const event = fc
    .tuple(fc.constantFrom(...FORMS), fc.constantFrom(...TEXTS), fc.constantFrom(...TEXTS), fc.constantFrom(...NUMBERS))
    .map(([form, one, other, count]) => form(one, other, count));
  const alike = fc
    .tuple(
      fc.constantFrom(...FORMS),
      fc.array(fc.tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...TEXTS), fc.constantFrom(...NUMBERS)), {
        minLength: 2,
        maxLength: 8,
      }),
    )
    .map(([form, holes]) => holes.map((hole) => form(...hole)));
  fc.assert(
    fc.property(fc.oneof(alike, fc.array(event, { maxLength: 8 })), (texts) => {
      const decoder = new EventDecoder();
      const values = texts.map((text) => decoder.decode(text));
      expect(values.map(seen)).toEqual(texts.map((text) => seen(decodeEvent(text))));
    }),
    { numRuns: 3000 },
  );
});

test("an event that is the one before it but for a text is not parsed", () => {
  const decoder = new EventDecoder();
  const texts = Array.from({ length: 20 }, (_, seq) => `{"seq":${seq},"delta":{"text":"word ${seq}"},"same":[]}`);
  const values = texts.map((text) => decoder.decode(text) as { same: unknown; delta: unknown });
  expect(values).toEqual(texts.map((text) => JSON.parse(text)));
  // Only what holds a difference is made anew.
  expect(values[18]?.same).toBe(values[19]?.same);
  expect(values[18]?.delta).not.toBe(values[19]?.delta);
});

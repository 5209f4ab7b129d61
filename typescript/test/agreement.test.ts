/** ajv's code decides, the walk explains: both always agree on what has the shape of a type. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindingOf } from "../src/contract/catalog.js";
import type { FamilyData, Node } from "../src/contract/nodes.js";
import { ROOMS } from "../src/generated/rooms.js";
import { VERSIONS, type Version } from "../src/generated/versions.js";
import { own, put } from "../src/json/values.js";
import { check } from "../src/reading/checks.js";
import { explain, isShape } from "../src/reading/explain.js";
import { validate } from "../src/reading/index.js";
import { documents } from "./fixtures.js";

const TEXTS = [
  "",
  "x",
  "é😀",
  "a\n",
  "2024-02-29T00:00:00Z",
  "2023-02-29T00:00:00Z",
  "QUJD",
  "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  "v0.2",
  "__proto__",
  "constructor",
];
const NUMBERS = [0, -0, -1, 1.5, 1, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e300, 0.1];

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, ...TEXTS, ...NUMBERS),
  fc.array(fc.constantFrom<unknown>(...TEXTS, ...NUMBERS, null), { maxLength: 2 }),
  fc.dictionary(
    fc.constantFrom("kind", "type", "a", "__proto__", "toString"),
    fc.constantFrom<unknown>("text", 1, null),
    { maxKeys: 2 },
  ),
);

/** Values of a node: mostly right ones, each place now and then with something else. */
function valuesOf(data: FamilyData, node: Node, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 60, arbitrary: rightOf(data, node, depth) }, { weight: 1, arbitrary: anything });
}

const samples = new Map<string, readonly string[]>();

/** Returns a few strings that match a pattern; making them anew for each value takes long. */
function samplesOf(pattern: string): readonly string[] {
  const made = samples.get(pattern) ?? fc.sample(fc.stringMatching(new RegExp(pattern, "u")), { numRuns: 6, seed: 1 });
  samples.set(pattern, made);
  return made;
}

function rightOf(data: FamilyData, node: Node, depth: number): fc.Arbitrary<unknown> {
  const inner = (each: Node): fc.Arbitrary<unknown> => valuesOf(data, each, depth + 1);
  switch (node.t) {
    case "ref":
      return rightOf(data, own(data, node.n) as Node, depth);
    case "string":
      return fc.constantFrom(...(node.p === undefined ? TEXTS : samplesOf(node.p)));
    case "enum":
      return fc.constantFrom(...node.v);
    case "const":
      return fc.constant(node.v);
    case "integer":
    case "number":
      return fc.constantFrom(
        ...NUMBERS.filter((value) => value >= (node.min ?? value) && value <= (node.max ?? value)),
      );
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(inner(node.i), { maxLength: 3 });
    case "map":
      return fc.dictionary(fc.constantFrom("a", "/~", "__proto__"), inner(node.i), { maxKeys: 2 });
    case "free":
      return fc.dictionary(fc.constantFrom("a", "__proto__"), anything, { maxKeys: 2 });
    case "freeArray":
      return fc.array(anything, { maxLength: 3 });
    case "union":
      return fc.constantFrom(...node.v).chain(([, name]) => rightOf(data, { t: "ref", n: name }, depth));
    case "choice":
      return fc.oneof(...node.m.map(([, each]) => inner(each)));
    case "object":
      return objectOf(node.m.map(([name, each, required]) => ({ name, value: inner(each), required: required === 1 })));
  }
}

interface Member {
  readonly name: string;
  readonly value: fc.Arbitrary<unknown>;
  readonly required: boolean;
}

/** Objects that lack a required member now and then, and hold one that is not known. */
function objectOf(members: readonly Member[]): fc.Arbitrary<unknown> {
  const rows = members.map(({ name, value, required }) => {
    const isThere = required ? fc.integer({ min: 0, max: 60 }).map((chance) => chance > 0) : fc.boolean();
    return fc.tuple(fc.constant(name), isThere, value);
  });
  return fc.tuple(fc.boolean(), ...rows).map(([isOpen, ...given]) => {
    const made: Record<string, unknown> = isOpen ? { further: 1 } : {};
    for (const [name, isThere, value] of given) if (isThere) put(made, name, value);
    return made;
  });
}

function expectAgreement(version: Version, type: string, value: unknown): void {
  const binding = bindingOf(type, version);
  const shape = explain(binding.data, binding.name, value).filter(isShape);
  expect({ isRight: binding.verdict?.(value), shape }).toEqual({ isRight: shape.length === 0, shape });
}

describe.each(VERSIONS.map((version) => ({ version })))("$version", ({ version }) => {
  const types = Object.entries(ROOMS[version].families).flatMap(([family, data]) =>
    Object.entries(data).map(([name, node]) => ({ type: `${family}.${name}`, data, node })),
  );

  test.each(types)("ajv and the walk agree on values of $type", ({ type, data, node }) => {
    let right = 0;
    const property = fc.property(valuesOf(data, node), (value) => {
      expectAgreement(version, type, value);
      if (bindingOf(type, version).verdict?.(value) === true) right++;
    });
    fc.assert(property, { numRuns: 120, seed: 1 });
    expect(right).toBeGreaterThan(0);
  });
});

test("ajv and the walk agree on every document of the fixtures, as every type of its family", () => {
  const all = documents();
  expect(all.length).toBeGreaterThan(400);
  for (const { version, type, value } of all) {
    const family = type.split(".")[0] as string;
    expectAgreement(version, type, value);
    for (const name of Object.keys(ROOMS[version].families[family] ?? {}))
      expectAgreement(version, `${family}.${name}`, value);
  }
});

test("where they did not agree, ajv's verdict would count", () => {
  const binding = bindingOf("message.TextPart", "v0.2");
  const value = { kind: "text", payload: { text: "Hi" } };
  expect(check({ ...binding, verdict: () => false }, value).map((each) => each.rule)).toEqual(["shape/type"]);
  expect(check({ ...binding, hasRules: true, verdict: () => true }, { kind: "text" })).toEqual([]);
});

test("lengths count code points", () => {
  const data: FamilyData = { Name: { t: "string", min: 2, max: 2 } };
  const rules = (value: string): string[] => explain(data, "Name", value).map((each) => each.rule);
  expect([rules("😀"), rules("😀😀"), rules("😀😀😀")]).toEqual([["shape/min-length"], [], ["shape/max-length"]]);
});

test("every type of the catalog can be asked for, and no other", () => {
  expect(() => validate({}, "message.Nothing")).toThrow(/usage\/unknown-type/);
  expect(() => validate({}, "message.constructor")).toThrow(/usage\/unknown-type/);
  expect(() => validate({}, "__proto__.Message")).toThrow(/usage\/unknown-type/);
  expect(() => validate({}, "message.Message", { version: "v9.9" as Version })).toThrow(/usage\/unknown-version/);
});

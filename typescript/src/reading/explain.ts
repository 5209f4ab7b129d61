/**
 * What is wrong with a value, and where: a walk along the generated schema data.
 *
 * Findings come in the order of the schema's members, with the same rules and pointers as in every
 * other language. Nothing here throws, whatever the value is.
 */
import type {
  ChoiceNode,
  FamilyData,
  Kind,
  Node,
  NumberNode,
  ObjectNode,
  Rule,
  StringNode,
  UnionNode,
} from "../contract/nodes.js";
import { clip, errorAt, type Finding } from "../errors.js";
import { codePoints, escapePointer } from "../json/text.js";
import { isObject, own } from "../json/values.js";

/** Returns all findings of `value` as the type `name` of a family. */
export function explain(data: FamilyData, name: string, value: unknown): Finding[] {
  const found: Finding[] = [];
  walk(data, { t: "ref", n: name }, value, "", found);
  return found;
}

/** Tells whether a finding is about shape: what JSON Schema can say. */
export function isShape(finding: Finding): boolean {
  return finding.rule.startsWith("shape/") || finding.rule.startsWith("document/");
}

/** Follows references until something else is there. */
export function resolve(data: FamilyData, node: Node): Exclude<Node, { t: "ref" }> {
  let found: Node | undefined = node;
  while (found !== undefined && found.t === "ref") found = own(data, found.n) as Node | undefined;
  if (found === undefined) throw new TypeError("the schema data refers to no type");
  return found;
}

const patterns = new Map<string, RegExp>();

function matches(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) patterns.set(pattern, (compiled = new RegExp(pattern, "u")));
  return compiled.test(text);
}

function walk(data: FamilyData, given: Node, value: unknown, pointer: string, found: Finding[]): void {
  const node = resolve(data, given);
  switch (node.t) {
    case "string":
      return aString(node, value, pointer, found);
    case "enum":
    case "const":
      return oneOf(node.t, node.t === "enum" ? node.v : [node.v], value, pointer, found);
    case "integer":
    case "number":
      return aNumber(node, value, pointer, found);
    case "boolean":
      return typeof value === "boolean" ? undefined : wrongType(value, "a boolean", pointer, found);
    case "free":
      return isObject(value) ? undefined : wrongType(value, "an object", pointer, found);
    case "freeArray":
      return Array.isArray(value) ? undefined : wrongType(value, "an array", pointer, found);
    case "array":
      return anArray(data, node.i, node.min ?? 0, value, pointer, found);
    case "map":
      return aMap(data, node.i, value, pointer, found);
    case "object":
      return anObject(data, node, value, pointer, found);
    case "union":
      return aUnion(data, node, value, pointer, found);
    case "choice":
      return aChoice(data, node, value, pointer, found);
  }
}

// --- leaves -----------------------------------------------------------------------------------

/** Returns the JSON type of a value. */
export function kindOf(value: unknown): Kind | undefined {
  if (Array.isArray(value)) return "array";
  if (isObject(value)) return "object";
  const kind = typeof value;
  return kind === "string" || kind === "number" || kind === "boolean" ? kind : undefined;
}

const WORDS: Readonly<Record<Kind, string>> = {
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
};

function inWords(value: unknown): string {
  const kind = kindOf(value);
  return kind === undefined ? `JavaScript's ${typeof value}` : WORDS[kind];
}

function wrongType(value: unknown, expected: string, pointer: string, found: Finding[]): void {
  found.push(
    value === null
      ? errorAt(pointer, "shape/null", "null is not allowed here", expected, "null")
      : errorAt(pointer, "shape/type", `Not ${expected} but ${inWords(value)}`, expected, clip(value)),
  );
}

function aString(node: StringNode, value: unknown, pointer: string, found: Finding[]): void {
  if (typeof value !== "string") return wrongType(value, "a string", pointer, found);
  const length = node.min === undefined && node.max === undefined ? 0 : codePoints(value);
  if (node.min !== undefined && length < node.min) {
    const message = value === "" ? "The string is empty" : "The string is too short";
    found.push(errorAt(pointer, "shape/min-length", message, atLeast(node.min, "character"), clip(value)));
  }
  if (node.max !== undefined && length > node.max) {
    const message = `The string is too long: ${length} characters`;
    found.push(errorAt(pointer, "shape/max-length", message, `at most ${node.max} characters`, clip(value)));
  }
  if (node.p !== undefined && !matches(node.p, value)) {
    const message = "The string does not have the expected form";
    found.push(errorAt(pointer, "shape/pattern", message, node.w ?? node.p, clip(value)));
  }
}

function oneOf(
  rule: "enum" | "const",
  allowed: readonly string[],
  value: unknown,
  pointer: string,
  found: Finding[],
): void {
  if (typeof value !== "string") return wrongType(value, "a string", pointer, found);
  if (allowed.includes(value)) return;
  const message = rule === "enum" ? "None of the allowed values" : "Only one value is allowed here";
  found.push(errorAt(pointer, `shape/${rule}`, message, allowed.join(", "), clip(value)));
}

function aNumber(node: NumberNode, value: unknown, pointer: string, found: Finding[]): void {
  if (typeof value !== "number") {
    return wrongType(value, node.t === "integer" ? "an integer" : "a number", pointer, found);
  }
  const add = (rule: string, message: string, expected: string): void => {
    found.push(errorAt(pointer, rule, message, expected, clip(value)));
  };
  if (!Number.isFinite(value)) add("document/not-finite", "The number is not finite", "a finite number");
  else if (node.t === "integer" && !Number.isInteger(value)) {
    add("shape/integer", "The number is not integral", "an integer");
  } else if (node.min !== undefined && value < node.min) {
    add("shape/minimum", "The number is too small", `at least ${node.min}`);
  } else if (node.max !== undefined && value > node.max) {
    add("shape/maximum", "The number is too large", `at most ${node.max}`);
  }
}

function atLeast(least: number, noun: string): string {
  return `at least ${least} ${noun}${least === 1 ? "" : "s"}`;
}

// --- what holds others ------------------------------------------------------------------------

function anArray(
  data: FamilyData,
  items: Node,
  least: number,
  value: unknown,
  pointer: string,
  found: Finding[],
): void {
  if (!Array.isArray(value)) return wrongType(value, "an array", pointer, found);
  if (value.length < least) {
    const message = value.length === 0 ? "The array is empty" : "The array is too short";
    found.push(errorAt(pointer, "shape/min-items", message, atLeast(least, "item"), clip(value)));
  }
  for (const [index, item] of value.entries()) walk(data, items, item, `${pointer}/${index}`, found);
}

function aMap(data: FamilyData, items: Node, value: unknown, pointer: string, found: Finding[]): void {
  if (!isObject(value)) return wrongType(value, "an object", pointer, found);
  for (const [name, member] of Object.entries(value)) {
    walk(data, items, member, `${pointer}/${escapePointer(name)}`, found);
  }
}

function anObject(data: FamilyData, node: ObjectNode, value: unknown, pointer: string, found: Finding[]): void {
  if (!isObject(value)) return wrongType(value, "an object", pointer, found);
  const before = found.length;
  for (const [name, inner, required] of node.m) {
    if (Object.hasOwn(value, name)) walk(data, inner, value[name], `${pointer}/${name}`, found);
    else if (required === 1) missing(name, pointer, found);
  }
  for (const names of node.one ?? []) {
    const given = names.filter((name) => Object.hasOwn(value, name));
    if (given.length === 1) continue;
    const message = "Exactly one of these members has to be present";
    const actual = given.join(", ") || "none";
    found.push(errorAt(pointer, "shape/exactly-one-of", message, names.join(" or "), actual));
  }
  if (node.any?.every((name) => !Object.hasOwn(value, name))) {
    const message = `One of the members ${node.any.join(", ")} is missing`;
    found.push(errorAt(pointer, "shape/required", message, `a member ${node.any.join(" or ")}`));
  }
  if (node.r === undefined || found.slice(before).some(isShape)) return;
  const broken: Finding[] = [];
  for (const rule of node.r) applyRule(rule, value, broken);
  for (const each of broken) found.push({ ...each, pointer: pointer + each.pointer });
}

function missing(name: string, pointer: string, found: Finding[]): void {
  found.push(errorAt(pointer, "shape/required", `The member ${name} is missing`, `a member ${name}`));
}

function aUnion(data: FamilyData, node: UnionNode, value: unknown, pointer: string, found: Finding[]): void {
  if (!isObject(value)) return wrongType(value, "an object", pointer, found);
  const tag = own(value, node.k);
  const variant = node.v.find(([known]) => known === tag);
  if (variant !== undefined) return walk(data, { t: "ref", n: variant[1] }, value, pointer, found);
  const place = `${pointer}/${node.k}`;
  if (!Object.hasOwn(value, node.k)) return missing(node.k, pointer, found);
  if (typeof tag !== "string") return wrongType(tag, "a string", place, found);
  const known = node.v.map(([each]) => each).join(", ");
  found.push(errorAt(place, "shape/unknown-variant", `No variant has this ${node.k}`, known, clip(tag)));
}

function aChoice(data: FamilyData, node: ChoiceNode, value: unknown, pointer: string, found: Finding[]): void {
  const kind = kindOf(value);
  const member = kind === undefined ? undefined : node.m.find(([kinds]) => kinds.includes(kind));
  if (member !== undefined) return walk(data, member[1], value, pointer, found);
  const expected = node.m.flatMap(([kinds]) => kinds.map((each) => WORDS[each])).join(" or ");
  if (value === null) return wrongType(value, expected, pointer, found);
  const message = `Neither ${expected.replaceAll(" or ", " nor ")} but ${inWords(value)}`;
  found.push(errorAt(pointer, "shape/union-type", message, expected, clip(value)));
}

// --- rules of meaning ----------------------------------------------------------------------------
// Rules of meaning, which schemas declare as data: where a value breaks one, and why.

/** Returns what is at a pointer, or undefined. */
function at(value: unknown, pointer: string): unknown {
  let node = value;
  for (const name of pointer.slice(1).split("/")) {
    node = isObject(node) ? own(node, name) : undefined;
  }
  return node;
}

/** Adds what a rule has against `value`, whose shape is right; pointers are relative to it. */
function applyRule(rule: Rule, value: unknown, found: Finding[]): void {
  switch (rule.op) {
    case "tag-table":
      return tagTable(rule, value, found);
    case "unique":
      return unique(rule, value, found);
    case "items-equal":
      return itemsEqual(rule, value, found);
    case "items-same":
      return itemsSame(rule, value, found);
    case "not-less":
      return notLess(rule, value, found);
    case "present-when":
      return presentWhen(rule, value, found);
  }
}

type RuleOf<Op> = Extract<Rule, { op: Op }>;

function finding(rule: Rule, pointer: string, message: string, expected: string, actual?: string): Finding {
  const { rule: id, severity } = rule;
  return { rule: id, message, pointer, severity, expected, ...(actual === undefined ? {} : { actual }) };
}

/** Yields pointer and key of every item that has one (and that `where` selects). */
function* keys(
  value: unknown,
  items: string,
  key: string,
  where?: readonly [string, string],
): Generator<[string, unknown]> {
  const array = at(value, items);
  if (!Array.isArray(array)) return;
  for (const [index, item] of array.entries()) {
    const given = at(item, key);
    if (given !== undefined && (where === undefined || at(item, where[0]) === where[1])) {
      yield [`${items}/${index}${key}`, given];
    }
  }
}

function tagTable(rule: RuleOf<"tag-table">, value: unknown, found: Finding[]): void {
  const row = at(value, rule.tag);
  const allowed = typeof row === "string" ? (own(rule.table, row) as readonly string[] | undefined) : undefined;
  if (allowed === undefined) return;
  for (const [pointer, kind] of keys(value, rule.items, `/${rule.itemTag}`)) {
    if (!allowed.includes(kind as string)) {
      const message = `Not allowed where ${rule.tag.slice(1)} is ${String(row)}`;
      found.push(finding(rule, pointer, message, allowed.join(", "), clip(kind)));
    }
  }
}

function unique(rule: RuleOf<"unique">, value: unknown, found: Finding[]): void {
  const first = new Map<unknown, string>();
  for (const [pointer, key] of keys(value, rule.items, rule.key, rule.where)) {
    const before = first.get(key);
    if (before === undefined) first.set(key, pointer);
    else found.push(finding(rule, pointer, `The same as at ${before}`, "a value that no other has", clip(key)));
  }
}

function itemsEqual(rule: RuleOf<"items-equal">, value: unknown, found: Finding[]): void {
  const expected = at(value, rule.to);
  if (expected === undefined) return;
  for (const [pointer, key] of keys(value, rule.items, rule.key)) {
    if (key !== expected) {
      found.push(finding(rule, pointer, `Not the same as at ${rule.to}`, clip(expected), clip(key)));
    }
  }
}

function itemsSame(rule: RuleOf<"items-same">, value: unknown, found: Finding[]): void {
  let first: [string, unknown] | undefined;
  for (const each of keys(value, rule.items, rule.key)) {
    first ??= each;
    if (each[1] !== first[1]) {
      found.push(finding(rule, each[0], `Not the same as at ${first[0]}`, clip(first[1]), clip(each[1])));
    }
  }
}

function notLess(rule: RuleOf<"not-less">, value: unknown, found: Finding[]): void {
  const given = at(value, rule.value);
  const than = at(value, rule.than);
  if (typeof given === "number" && typeof than === "number" && given < than) {
    found.push(finding(rule, rule.value, `Less than ${rule.than}`, `at least ${clip(than)}`, clip(given)));
  }
}

function presentWhen(rule: RuleOf<"present-when">, value: unknown, found: Finding[]): void {
  const [pointer, wanted] = rule.when;
  if (at(value, pointer) !== wanted || at(value, rule.member) !== undefined) return;
  const name = rule.member.slice(rule.member.lastIndexOf("/") + 1);
  const message = `The member ${name} is missing where ${pointer} is ${clip(wanted)}`;
  found.push(finding(rule, "", message, `a member ${name}`));
}

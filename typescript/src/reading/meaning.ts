/** Rules of meaning, which schemas declare as data: where a value breaks one, and why. */

import type { Rule } from "../contract/nodes.js";
import { clip, type Finding } from "../errors.js";
import { isObject, own } from "../json/values.js";

/** Returns what stands at a pointer, or undefined. */
export function at(value: unknown, pointer: string): unknown {
  let node = value;
  for (const name of pointer.slice(1).split("/")) {
    node = isObject(node) ? own(node, name) : undefined;
  }
  return node;
}

/** Adds what a rule has against `value`, whose shape is right; pointers are relative to it. */
export function applyRule(rule: Rule, value: unknown, found: Finding[]): void {
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

/** Where a value is in the contract: its type and member, walked along the package's own schema data. */

import { KNOWN_VALUES, LATEST_VERSION } from "../../../src/contract/current/index.js";
import type { FamilyData, Node } from "../../../src/contract/nodes.js";
import { ROOMS } from "../../../src/generated/rooms.js";
import { isObject, own } from "../../../src/json/values.js";
import { kindOf, resolve } from "../../../src/reading/explain.js";
import { numberWords } from "./numbers.js";

/** A place that the contract describes. */
export interface Place {
  readonly family: string;
  readonly node: Node;
  /** The type whose member it is, and the member. */
  readonly owner?: string;
  readonly member?: string;
  readonly required?: boolean;
}

const FAMILIES = ROOMS[LATEST_VERSION].families;

/** Every type of the current version, by family. */
export const TYPES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(FAMILIES).map(([family, data]) => [family, Object.keys(data).map((name) => `${family}.${name}`)]),
);

/** Returns the place of a value as a type, such as `message.Message`, or `message.Message[]` for a list of them. */
export function placeOf(type: string): Place | undefined {
  const [, family = "", name = "", list] = /^(\w+)\.(\w+)(\[\])?$/.exec(type) ?? [];
  if (own(FAMILIES[family] ?? {}, name) === undefined) return undefined;
  const node: Node = { t: "ref", n: name };
  return { family, node: list === undefined ? node : { t: "array", i: node } };
}

/** Returns the place of a member or item of a value; undefined where the contract does not describe it. */
export function placeWithin(place: Place, value: unknown, key: string | number): Place | undefined {
  const { family } = place;
  const { node, type } = shapeAt(place, value);
  if (node === undefined) return undefined;
  if (node.t === "array" || node.t === "map") return { family, node: node.i };
  if (node.t !== "object") return undefined;
  const found = node.m.find(([name]) => name === key);
  if (found === undefined) return undefined;
  const [member, inner, required] = found;
  return { family, node: inner, member, required: required === 1, ...(type === undefined ? {} : { owner: type }) };
}

/** Returns the names of the members that the contract describes in a value. */
export function membersOf(place: Place, value: unknown): string[] {
  const { node } = shapeAt(place, value);
  return node?.t === "object" ? node.m.map(([name]) => name) : [];
}

/** Returns what a value is at a place: the variant of a union or of a choice that it takes, and the type's name. */
export function shapeAt({ family, node: given }: Place, value: unknown): { node?: Node; type?: string } {
  const data: FamilyData = FAMILIES[family] ?? {};
  let node: Node | undefined = given;
  let type: string | undefined;
  while (node !== undefined && (node.t === "ref" || node.t === "union" || node.t === "choice")) {
    if (node.t === "ref") {
      type = node.n;
      node = own(data, node.n) as Node | undefined;
    } else if (node.t === "union") {
      const tag = isObject(value) ? own(value, node.k) : undefined;
      const variant: string | undefined = node.v.find(([name]) => name === tag)?.[1];
      if (variant === undefined) break;
      node = { t: "ref", n: variant };
    } else {
      const kind = kindOf(value);
      const variant: Node | undefined = node.m.find(([kinds]) => kind !== undefined && kinds.includes(kind))?.[1];
      if (variant === undefined) break;
      node = variant;
    }
  }
  return { ...(node && { node }), ...(type === undefined ? {} : { type }) };
}

/** Returns the names of the types that lead to a place, the outermost first. */
export function typesAt({ family, node: given }: Place): string[] {
  const data: FamilyData = FAMILIES[family] ?? {};
  const names: string[] = [];
  for (let node: Node | undefined = given; node?.t === "ref"; node = own(data, node.n) as Node | undefined) {
    names.push(node.n);
  }
  return names;
}

/** Returns what the schema asks of a value, in words. */
export function constraintsOf(place: Place, value: unknown): string[] {
  const { family, owner, member } = place;
  const { node, type } = shapeAt(place, value);
  const known = [`${family}.${type}`, `${family}.${owner}.${member}`].flatMap((key) => own(KNOWN_VALUES, key) ?? []);
  const words = node === undefined ? [] : nodeWords(FAMILIES[family] ?? {}, node);
  return known.length === 0 ? words : [...words, `known values: ${known.join(", ")}`];
}

function nodeWords(data: FamilyData, node: Node): string[] {
  switch (node.t) {
    case "ref":
      return nodeWords(data, resolve(data, node));
    case "string":
      return [
        "a string",
        ...span(node.min, node.max, "characters"),
        ...(node.p ? [node.w ?? `matches ${node.p}`] : []),
      ];
    case "enum":
      return [`one of ${node.v.join(", ")}`];
    case "const":
      return [`always ${node.v}`];
    case "integer":
      return ["an integer", ...span(node.min, node.max, "")];
    case "number":
      return ["a number", ...span(node.min, node.max, "")];
    case "boolean":
      return ["true or false"];
    case "array":
      return ["an array", ...span(node.min, undefined, "items")];
    case "freeArray":
      return ["any array"];
    case "map":
      return ["an object with free names"];
    case "free":
      return ["any object"];
    case "object":
      return [
        ...(node.x === undefined ? [] : ["members that are not named are kept"]),
        ...(node.one ?? []).map((names) => `exactly one of ${names.join(", ")}`),
        ...(node.any === undefined ? [] : [`at least one of ${node.any.join(", ")}`]),
        ...[...new Set((node.r ?? []).map(({ rule }) => rule))].map((rule) => `rule ${rule}`),
      ];
    case "union":
      return [`by ${node.k}: ${node.v.map(([tag]) => tag).join(", ")}`];
    case "choice":
      return [node.m.flatMap(([kinds]) => kinds).join(" or ")];
  }
}

function span(min: number | undefined, max: number | undefined, noun: string): string[] {
  const said = (word: string, figure: number): string =>
    `${word} ${numberWords(figure)} ${figure === 1 ? noun.slice(0, -1) : noun}`.trimEnd();
  return [
    ...(min === undefined ? [] : [said("at least", min)]),
    ...(max === undefined || max === Number.MAX_SAFE_INTEGER ? [] : [said("at most", max)]),
  ];
}

/** What streamed arguments have said so far, as a tree of values. */
import { isObject } from "../../json/values.js";
import { memberNames, numberTextAt, quoted } from "../core/spelling.js";
import type { Members } from "../core/values.js";
import type { Step } from "./paths.js";

/** A string value that came in pieces, and may go on. */
export class StringNode {
  constructor(public text: string) {}
}

/** Any other value without values inside, or a string that came whole: its JSON text. */
export class Leaf {
  constructor(readonly json: string) {}
}

/** An object or array. */
export type Branch = Map<string, Node> | Node[];
export type Node = StringNode | Leaf | Map<string, Node> | Node[];

/** Returns the member or item of a value, undefined if it has none such. */
export function childOf(place: Node | undefined, step: Step): Node | undefined {
  if (place instanceof Map) return typeof step === "string" ? place.get(step) : undefined;
  return Array.isArray(place) && typeof step === "number" ? place[step] : undefined;
}

/** Puts a member or the next item; returns whether the place can have such a one. */
export function putChild(place: Node, step: Step, child: Node): boolean {
  if (place instanceof Map && typeof step === "string") {
    place.set(step, child);
    return true;
  }
  if (!Array.isArray(place) || typeof step !== "number" || step > place.length) return false;
  place[step] = child;
  return true;
}

/** Returns the container that a step leads into. */
export function emptyFor(step: Step): Branch {
  return typeof step === "number" ? [] : new Map();
}

/** Returns a member or item that holds no values. */
export function leafOf(holder: object, name: string): Leaf {
  const value = (holder as Members)[name];
  if (typeof value === "number") return new Leaf(numberTextAt(holder, name, value));
  return new Leaf(typeof value === "string" ? quoted(value) : String(value));
}

/** Returns a member or item that came as a whole. */
export function nodeAt(holder: object, name: string): Node {
  const value = (holder as Members)[name];
  if (Array.isArray(value)) return value.map((_, index) => nodeAt(value, String(index)));
  if (!isObject(value)) return leafOf(holder, name);
  return new Map(memberNames(value).map((each) => [each, nodeAt(value, each)]));
}

/** Returns the JSON text of a value; halves of characters stay what they are. */
export function textOf(node: Node): string {
  if (node instanceof StringNode) return quoted(node.text);
  if (node instanceof Leaf) return node.json;
  if (Array.isArray(node)) return `[${node.map(textOf).join(",")}]`;
  return `{${[...node].map(([name, child]) => `${quoted(name)}:${textOf(child)}`).join(",")}}`;
}

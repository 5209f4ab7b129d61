/**
 * Tolerant reading, led by the schema: a newer peer's tags and enum values, null for absent. What
 * a closed object does not know goes; strict reading closes valid values by the same walk.
 */

import type { FamilyData, Kind, Node, ObjectNode, UnionNode } from "../contract/nodes.js";
import { Unknown } from "../contract/unknown.js";
import { clip, type Finding } from "../errors.js";
import { READ } from "../generated/severities.js";
import { carryDigits } from "../json/digits.js";
import { escapePointer } from "../json/text.js";
import { isObject, type JsonObject, own, put } from "../json/values.js";
import { kindOf, resolve } from "./explain.js";

// --- values before their safe default ------------------------------------------------------------
// What came where tolerant reading took a safe default: kept beside the member, under a symbol, which
// a copy by spreading takes along; `structuredClone` and `JSON.stringify` do not know it.

const RAW = Symbol.for("partwire.raw");

/** Member → the safe default that was taken, and what came. */
type Raws = Record<string, { readonly taken: string; readonly raw: string }>;

/** Keeps what came for a member that reads as `taken`. */
function keepRaw(holder: object, name: string, taken: string, raw: string): void {
  const raws = ((holder as { [RAW]?: Raws })[RAW] ??= Object.create(null) as Raws);
  raws[name] = { taken, raw };
}

/**
 * Returns the value that came for a member which tolerant reading gave its safe default; undefined
 * for any other member, also for one that has been set to something else since.
 */
export function rawValue(holder: object, name: string): string | undefined {
  const kept = (holder as { [RAW]?: Raws })[RAW]?.[name];
  return kept !== undefined && own(holder, name) === kept.taken ? kept.raw : undefined;
}

// --- tolerant forms ------------------------------------------------------------------------------

/**
 * Returns `value` as tolerant reading takes it, and adds a warning per change to `notes`. Shared
 * with `value` is only what free objects hold; `value` itself is not changed.
 */
export function relax(data: FamilyData, name: string, value: unknown, notes: Finding[]): unknown {
  return relaxed(data, { t: "ref", n: name }, value, "", { findings: notes, leftOut: [] });
}

/** Returns pointers to the members that {@link relax} leaves out. */
export function unknownMembersOf(data: FamilyData, name: string, value: unknown): string[] {
  const notes: Notes = { findings: [], leftOut: [] };
  relaxed(data, { t: "ref", n: name }, value, "", notes);
  return notes.leftOut;
}

/** What one walk says of its changes, and where the members were that it left out. */
interface Notes {
  readonly findings: Finding[];
  readonly leftOut: string[];
}

/** Returns where the variants of unknown tags are; the notes name the tags. */
export function unknownPlaces(notes: readonly Finding[]): Set<string> {
  const tagged = notes.filter((note) => note.rule === "read/unknown-variant");
  return new Set(tagged.map((note) => parentOf(note.pointer)));
}

/** Returns where an Unknown or a safe default is. */
export function keptPlaces(notes: readonly Finding[]): Set<string> {
  const defaults = notes.filter((note) => note.rule === "read/unknown-enum-value");
  return new Set([...unknownPlaces(notes), ...defaults.map((note) => note.pointer)]);
}

/** Returns the pointer to what holds the place of `pointer`. */
export function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

function relaxed(data: FamilyData, given: Node, value: unknown, pointer: string, notes: Notes): unknown {
  const kind = kindOf(value);
  const node = kind === undefined ? undefined : memberFor(data, given, kind);
  if (isObject(value)) return relaxObject(data, node, value, pointer, notes);
  if (Array.isArray(value)) {
    if (node?.t !== "array") return value;
    return value.map((item: unknown, index) => relaxed(data, node.i, item, `${pointer}/${index}`, notes));
  }
  if (typeof value === "string" && node?.t === "enum" && node.d !== undefined && !node.v.includes(value)) {
    const message = `Unknown value, taken as ${node.d}`;
    notes.findings.push(note("read/unknown-enum-value", message, pointer, node.v.join(", "), value));
    return node.d;
  }
  return value;
}

/** Returns the node that takes values of a JSON type: itself, or a member of a choice. */
function memberFor(data: FamilyData, given: Node, kind: Kind): Node | undefined {
  const node = resolve(data, given);
  if (node.t !== "choice") return node;
  const member = node.m.find(([kinds]) => kinds.includes(kind));
  return member === undefined ? undefined : resolve(data, member[1]);
}

function relaxObject(
  data: FamilyData,
  node: Node | undefined,
  value: Record<string, unknown>,
  pointer: string,
  notes: Notes,
): unknown {
  if (node?.t === "union") {
    const tag = own(value, node.k);
    if (typeof tag !== "string") return value;
    const variant = node.v.find(([known]) => known === tag);
    if (variant === undefined) return unknownVariant(node, tag, value, pointer, notes);
    return relaxMembers(data, resolve(data, { t: "ref", n: variant[1] }), value, pointer, notes);
  }
  return relaxMembers(data, node, value, pointer, notes);
}

function unknownVariant(
  node: UnionNode,
  tag: string,
  value: Record<string, unknown>,
  pointer: string,
  notes: Notes,
): Unknown {
  const known = node.v.map(([each]) => each).join(", ");
  notes.findings.push(note("read/unknown-variant", "Unknown tag, kept as it is", `${pointer}/${node.k}`, known, tag));
  return new Unknown(node.k, tag, value as JsonObject);
}

function relaxMembers(
  data: FamilyData,
  node: Node | undefined,
  value: Record<string, unknown>,
  pointer: string,
  notes: Notes,
): unknown {
  const made: Record<string, unknown> = {};
  const members = node?.t === "object" ? membersOf(node) : undefined;
  carryDigits(made, value);
  const keeps = node?.t === "free" || (node?.t === "object" && node.x === 1);
  for (const [name, member] of Object.entries(value)) {
    const declared = members?.get(name);
    const inner = declared?.[1] ?? (node?.t === "map" ? node.i : undefined);
    const place = `${pointer}/${escapePointer(name)}`;
    if (inner === undefined) {
      if (keeps) put(made, name, member);
      else if (node?.t === "object") notes.leftOut.push(place);
      continue;
    }
    if (member === null && declared !== undefined && declared[2] === 0) {
      notes.findings.push(note("read/null-as-absent", "null taken as absent", place, "no null", null));
    } else {
      const taken = relaxed(data, inner, member, place, notes);
      put(made, name, taken);
      if (typeof taken === "string" && typeof member === "string" && taken !== member) {
        keepRaw(made, name, taken, member);
      }
    }
  }
  return made;
}

type Member = ObjectNode["m"][number];
const tables = new WeakMap<ObjectNode, ReadonlyMap<string, Member>>();

function membersOf(node: ObjectNode): ReadonlyMap<string, Member> {
  let table = tables.get(node);
  if (table === undefined) tables.set(node, (table = new Map(node.m.map((each) => [each[0], each]))));
  return table;
}

function note(rule: keyof typeof READ, message: string, pointer: string, expected: string, actual: unknown): Finding {
  return { rule, message, pointer, severity: READ[rule], expected, actual: clip(actual) };
}

// --- looking past unknown variants --------------------------------------------------------------

/** The array items of a value that hold an unknown variant, innermost: taken out, and counted in again. */
export class Removed {
  readonly #items = new Set<string>();
  /** Pointers to all that holds an item. */
  readonly #holders = new Set<string>();
  /** Pointer to an array → the indices of its items that are gone, in order. */
  readonly #gone = new Map<string, number[]>();

  constructor(value: unknown, places: Iterable<string>) {
    for (const place of places) {
      const item = innermostItem(value, place);
      if (item === "" || this.#items.has(item)) continue;
      this.#items.add(item);
      const array = parentOf(item);
      const index = Number(item.slice(array.length + 1));
      const gone = this.#gone.get(array);
      if (gone === undefined) this.#gone.set(array, [index]);
      else gone.push(index);
      for (let holder = array; !this.#holders.has(holder); holder = parentOf(holder)) this.#holders.add(holder);
    }
    for (const gone of this.#gone.values()) gone.sort((one, other) => one - other);
  }

  /** The pointers to the items. */
  get items(): ReadonlySet<string> {
    return this.#items;
  }

  /** Returns `value` without the items; what holds none of them is shared. */
  rest(value: unknown, pointer = ""): unknown {
    if (!this.#holders.has(pointer)) return value;
    if (Array.isArray(value)) {
      const kept = value.map((item: unknown, index) => [`${pointer}/${index}`, item] as const);
      return kept.filter(([place]) => !this.#items.has(place)).map(([place, item]) => this.rest(item, place));
    }
    const made: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value as object)) {
      put(made, name, this.rest(member, `${pointer}/${escapePointer(name)}`));
    }
    return made;
  }

  /** Returns where the value was that {@link rest} has at `pointer`. */
  pointerBefore(pointer: string): string {
    let before = "";
    for (const token of pointer.split("/").slice(1)) {
      const gone = this.#gone.get(before);
      let step = Number(token);
      for (const each of gone ?? []) if (each <= step) step++;
      before += gone === undefined ? `/${token}` : `/${step}`;
    }
    return before;
  }
}

/** Returns the pointer to the innermost array item that is at `place` or holds it. */
function innermostItem(value: unknown, place: string): string {
  let node = value;
  let pointer = "";
  let item = "";
  for (const token of place.split("/").slice(1)) {
    pointer += `/${token}`;
    if (Array.isArray(node)) {
      item = pointer;
      node = node[Number(token)];
    } else {
      node = isObject(node) ? own(node, token.replaceAll("~1", "/").replaceAll("~0", "~")) : undefined;
    }
  }
  return item;
}

/**
 * Checks, reads and writes values of one type: what is below the types' names. An entry that
 * wants a few types takes their bindings, and nothing of the other families comes with it.
 *
 * ajv's code decides whether a value has its shape; only a value that it refuses, and types with
 * rules of meaning, are walked.
 */
import type { Binding } from "../contract/binding.js";
import { Unknown } from "../contract/unknown.js";
import { clip, errorAt, type Finding, hasError, PartwireError, ReadError, throwAny, WriteError } from "../errors.js";
import { MAX_DEPTH } from "../generated/tables/limits.js";
import { carryDigits } from "../json/digits.js";
import { decodeJson, isBytes, valueFindings } from "../json/documents.js";
import { escapePointer } from "../json/text.js";
import { isObject, type JsonValue, put } from "../json/values.js";
import { explain, isShape } from "./explain.js";
import { keptPlaces, parentOf, Removed, rawValue, relax, unknownPlaces } from "./tolerance.js";

/** Returns all findings of a value without Unknown: ajv decides where its code is there, the walk explains. */
export function check(binding: Binding, value: unknown): Finding[] {
  if (binding.verdict === undefined) return explain(binding.data, binding.name, value);
  const isRight = binding.verdict(value);
  if (isRight && !binding.hasRules) return [];
  const found = explain(binding.data, binding.name, value);
  if (isRight === !found.some(isShape)) return found;
  // Not met in any test: the verdict counts, whatever the walk says.
  if (isRight) return found.filter((each) => !isShape(each));
  return [errorAt("", "shape/type", "Not of this type", `a ${binding.name}`, clip(value)), ...found];
}

/** Returns all findings but those of the variants at `unknown`, which no rule looks at. */
export function checkBeside(binding: Binding, value: unknown, unknown: ReadonlySet<string>): Finding[] {
  if (unknown.size === 0) return check(binding, value);
  const beside = (found: Finding): boolean => !unknown.has(found.pointer) && !unknown.has(parentOf(found.pointer));
  const shape = explain(binding.data, binding.name, value).filter((found) => isShape(found) && beside(found));
  // Rules that compare the items of an array hold for those that are known.
  const removed = new Removed(value, unknown);
  const known = explain(binding.data, binding.name, removed.rest(value));
  const meaning = known.filter((found) => !isShape(found));
  return [...shape, ...meaning.map((found) => ({ ...found, pointer: removed.pointerBefore(found.pointer) }))];
}

/** Returns what is wrong with a document: JSON text as bytes, or a JSON value. Throws for no document. */
export function findingsOf(binding: Binding, document: unknown): Finding[] {
  try {
    if (isBytes(document)) return check(binding, decodeJson(document));
    const value = opened(document).value;
    const found = valueFindings(value);
    return found.length > 0 ? found : check(binding, value);
  } catch (error) {
    if (error instanceof PartwireError) return [...error.findings];
    throw error;
  }
}

/** Returns what `data` holds as a JSON value; throws ReadError. */
export function jsonOf(data: unknown): unknown {
  if (isBytes(data)) return decodeJson(data);
  const { value } = openedFor(ReadError, data);
  throwAny(valueFindings(value), ReadError);
  return value;
}

/** `strict` refuses unknown tags and enum values; `tolerant` takes what a newer peer wrote. */
export type Mode = "strict" | "tolerant";

/** What reading gives: the value, and what was found that is not an error. */
export interface ReadResult<T> {
  readonly value: T;
  readonly findings: readonly Finding[];
}

/** Reads JSON text as bytes, or a JSON value; throws ReadError with all findings. */
export function readAs(binding: Binding, data: unknown, mode: Mode): ReadResult<unknown> {
  const value = jsonOf(data);
  return mode === "tolerant" ? readTolerantly(binding, value) : readStrictly(binding, value);
}

function readStrictly(binding: Binding, value: unknown): ReadResult<unknown> {
  const findings = check(binding, value);
  if (hasError(findings)) throwAny(findings, ReadError);
  return { value: relax(binding.data, binding.name, value, []), findings };
}

function readTolerantly(binding: Binding, value: unknown): ReadResult<unknown> {
  const notes: Finding[] = [];
  const relaxed = relax(binding.data, binding.name, value, notes);
  const found = checkBeside(binding, relaxed, unknownPlaces(notes));
  if (hasError(found)) throwAny(found, ReadError);
  return { value: relaxed, findings: [...notes, ...found] };
}

/** Returns a value as it is written; throws WriteError with the errors if it is not valid. */
export function written(binding: Binding, value: unknown): JsonValue {
  const { value: document, unknown } = opened(value);
  throwAny(valueFindings(document), WriteError);
  const notes: Finding[] = [];
  const relaxed = relax(binding.data, binding.name, document, notes);
  // What was kept aside may be only where a reader would keep it aside again.
  const asked = keptPlaces(notes);
  const beside = new Set([...unknown].filter((place) => asked.has(place)));
  const errors = checkBeside(binding, document, beside).filter((each) => each.severity === "error");
  throwAny(errors, WriteError);
  return opened(relaxed).value as JsonValue;
}

/** A value in which all that was kept aside is put back, and the pointers where it does. */
interface Opened {
  readonly value: unknown;
  readonly unknown: Set<string>;
}

/** Returns a value in which snapshots, Unknown and safe defaults are what was read; throws ReadError. */
export function plainValue(value: unknown): unknown {
  return openedFor(ReadError, value).value;
}

/**
 * Returns a value with the places of what is not known in it; throws WriteError. Where `defaults` is
 * set, a safe default stays what it is taken for.
 */
export function opened(value: unknown, defaults = false): Opened {
  return openedFor(WriteError, value, defaults);
}

function openedFor(kind: typeof ReadError | typeof WriteError, value: unknown, defaults = false): Opened {
  const unknown = new Set<string>();
  const open = (node: unknown, pointer: string, depth: number): unknown => {
    if (node instanceof Unknown) {
      unknown.add(pointer);
      return node.document;
    }
    const made = isMessageLike(node) ? node.toMessage() : node;
    const isArray = Array.isArray(made);
    if (!isArray && !isObject(made)) return made;
    if (depth >= MAX_DEPTH) {
      const message = `Nested deeper than ${MAX_DEPTH} levels, or without end`;
      throw new kind(errorAt("", "document/too-deep", message));
    }
    if (isArray) {
      const items = made.map((item: unknown, index) => open(item, `${pointer}/${index}`, depth + 1));
      carryDigits(items, made);
      return items;
    }
    const members: Record<string, unknown> = {};
    carryDigits(members, made);
    for (const [name, member] of Object.entries(made)) {
      const place = `${pointer}/${escapePointer(name)}`;
      const raw = defaults ? undefined : rawValue(made, name);
      if (raw !== undefined) unknown.add(place);
      put(members, name, raw ?? open(member, place, depth + 1));
    }
    return members;
  };
  return { value: open(value, "", 0), unknown };
}

/** Tells whether a value represents a message: a snapshot of an assembler. */
function isMessageLike(value: unknown): value is { toMessage(): unknown } {
  if (typeof value !== "object" || value === null || isObject(value)) return false;
  return typeof (value as { toMessage?: unknown }).toMessage === "function";
}

/**
 * Read, validate and write documents of the contract.
 *
 * ajv's code decides whether a value has its shape; only a value that it refuses, and types with
 * rules of meaning, are walked. Source: requirements C-03, S004-27, S004-28.
 */
import {
  type Binding,
  bindingOf,
  LATEST_VERSION,
  type Latest,
  type TypeName,
  type Version,
  type Versions,
} from "./catalog.js";
import { decodeJson, isBytes, MAX_DEPTH, valueFindings } from "./documents.js";
import {
  badArgument,
  clip,
  errorAt,
  type Finding,
  hasError,
  PartwireError,
  ReadError,
  throwAny,
  UsageError,
  WriteError,
} from "./errors.js";
import { explain, isShape } from "./explain.js";
import { isObject, type JsonValue, put } from "./json.js";
import { parentOf, Removed, relax, unknownPlaces } from "./relax.js";
import { escapePointer } from "./text.js";
import { Unknown } from "./unknown.js";

/** `strict` refuses unknown tags and enum values; `tolerant` takes what a newer peer wrote. */
export type Mode = "strict" | "tolerant";

/** What reading gives: the value, and what was found that is no error. */
export interface ReadResult<T> {
  readonly value: T;
  readonly findings: readonly Finding[];
}

export interface ReadOptions<V extends Version = Latest> {
  /** A contract version; the latest where absent. */
  readonly version?: V;
}

type Strict<V extends Version, T> = T extends keyof Versions[V]["types"] ? Versions[V]["types"][T] : never;
type Tolerant<V extends Version, T> = T extends keyof Versions[V]["tolerant"] ? Versions[V]["tolerant"][T] : never;

/** Returns all findings of a value without Unknown: ajv decides, the walk explains. */
export function check(binding: Binding, value: unknown): Finding[] {
  const isRight = binding.verdict(value);
  if (isRight && !binding.hasRules) return [];
  const found = explain(binding.data, binding.name, value);
  if (isRight === !found.some(isShape)) return found;
  // Not met in any test: the verdict stands, whatever the walk says.
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

/**
 * Returns what is wrong with `document` as a `type`, such as `message.Message`. `document` is JSON
 * text as bytes, or a JSON value; a string is the JSON string, not JSON text. Findings come in
 * document order, errors and warnings; none means valid. Throws UsageError for an unknown type or
 * version, never for a document.
 */
export function validate<V extends Version = Latest>(
  document: unknown,
  type: TypeName<V> | (string & {}),
  options: ReadOptions<V> = {},
): Finding[] {
  const binding = bindingOf(type, options.version ?? LATEST_VERSION);
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

/**
 * Returns `data` (JSON text as bytes, or a JSON value) as `type`, without unknown members; see
 * {@link readWithFindings}.
 */
export function read<T extends TypeName<V>, V extends Version = Latest>(
  data: unknown,
  type: T,
  options?: ReadOptions<V> & { readonly mode?: "strict" },
): Strict<V, T>;
export function read<T extends TypeName<V>, V extends Version = Latest>(
  data: unknown,
  type: T,
  options: ReadOptions<V> & { readonly mode: "tolerant" },
): Tolerant<V, T>;
export function read(
  data: unknown,
  type: string,
  options: ReadOptions<Version> & { readonly mode?: Mode } = {},
): unknown {
  return readValue(data, type, options.mode ?? "strict", options.version ?? LATEST_VERSION).value;
}

/**
 * Reads as {@link read}, and says what was found beside errors. In `tolerant` mode an unknown enum
 * value becomes the enum's safe default, a variant of an unknown tag becomes {@link Unknown}, null
 * for an optional member is absent; a known tag with a bad body stays an error. Throws ReadError
 * with all findings, UsageError for an unknown type, version or mode.
 * Source: requirements S004-27, S004-28.
 */
export function readWithFindings<T extends TypeName<V>, V extends Version = Latest>(
  data: unknown,
  type: T,
  options?: ReadOptions<V> & { readonly mode?: "strict" },
): ReadResult<Strict<V, T>>;
export function readWithFindings<T extends TypeName<V>, V extends Version = Latest>(
  data: unknown,
  type: T,
  options: ReadOptions<V> & { readonly mode: "tolerant" },
): ReadResult<Tolerant<V, T>>;
export function readWithFindings(
  data: unknown,
  type: string,
  options: ReadOptions<Version> & { readonly mode?: Mode } = {},
): ReadResult<unknown> {
  return readValue(data, type, options.mode ?? "strict", options.version ?? LATEST_VERSION);
}

/** Reads where names are not known to the type checker; throws as {@link readWithFindings}. */
export function readValue(data: unknown, type: string, mode: Mode, version: string): ReadResult<unknown> {
  if (mode !== "strict" && mode !== "tolerant") {
    const message = "No such reading mode";
    throw new UsageError(errorAt("", "usage/unknown-mode", message, "strict or tolerant", clip(mode)));
  }
  const binding = bindingOf(type, version);
  const value = jsonOf(data);
  return mode === "tolerant" ? readTolerantly(binding, value) : readStrictly(binding, value);
}

/** Returns what `data` holds as a JSON value; throws ReadError. */
function jsonOf(data: unknown): unknown {
  if (isBytes(data)) return decodeJson(data);
  const { value } = openedFor(ReadError, data);
  throwAny(valueFindings(value), ReadError);
  return value;
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

// --- writing --------------------------------------------------------------------------------------

/**
 * Returns `value` as the JSON value that is written: without unknown members, an {@link Unknown}
 * verbatim. Throws WriteError with the errors if it is not valid; warnings do not stop a document.
 * Source: requirements S004-27.
 */
export function toWire<V extends Version = Latest>(
  value: unknown,
  type: TypeName<V> | (string & {}),
  options: ReadOptions<V> = {},
): JsonValue {
  const binding = bindingOf(type, options.version ?? LATEST_VERSION);
  const { value: document, unknown } = opened(value);
  throwAny(valueFindings(document), WriteError);
  const notes: Finding[] = [];
  const relaxed = relax(binding.data, binding.name, document, notes);
  // An Unknown may stand only where its tag is asked for and not known.
  const asked = unknownPlaces(notes);
  const beside = new Set([...unknown].filter((place) => asked.has(place)));
  const errors = checkBeside(binding, document, beside).filter((each) => each.severity === "error");
  throwAny(errors, WriteError);
  return opened(relaxed).value as JsonValue;
}

/** Returns `value` as JSON text; see {@link toWire}. */
export function dump<V extends Version = Latest>(
  value: unknown,
  type: TypeName<V> | (string & {}),
  options: ReadOptions<V> = {},
): string {
  return JSON.stringify(toWire(value, type, options));
}

/** A value in which every Unknown is its document, and the pointers where one stood. */
interface Opened {
  readonly value: unknown;
  readonly unknown: Set<string>;
}

/** Returns a value in which snapshots and Unknown are what they stand for; throws ReadError. */
export function plainValue(value: unknown): unknown {
  return openedFor(ReadError, value).value;
}

function opened(value: unknown): Opened {
  return openedFor(WriteError, value);
}

function openedFor(kind: typeof ReadError | typeof WriteError, value: unknown): Opened {
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
    if (isArray) return made.map((item: unknown, index) => open(item, `${pointer}/${index}`, depth + 1));
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(made)) {
      put(members, name, open(member, `${pointer}/${escapePointer(name)}`, depth + 1));
    }
    return members;
  };
  return { value: open(value, "", 0), unknown };
}

/** Tells whether a value stands for a message: a snapshot of an assembler. */
function isMessageLike(value: unknown): value is { toMessage(): unknown } {
  if (typeof value !== "object" || value === null || isObject(value)) return false;
  return typeof (value as { toMessage?: unknown }).toMessage === "function";
}

/** Throws UsageError unless `messages` can be iterated and is no single value. */
export function severalOf(messages: unknown, what: string): Iterable<unknown> {
  const given = messages as { [Symbol.iterator]?: unknown } | null | undefined;
  if (typeof given !== "object" || given === null || isBytes(given) || typeof given[Symbol.iterator] !== "function") {
    throw badArgument(
      `A ${what} is several messages, and not one`,
      "an iterable of messages, such as an array",
      messages,
    );
  }
  return given as Iterable<unknown>;
}

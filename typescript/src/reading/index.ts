/**
 * Read, validate and write documents of the contract, by the names of their types.
 */
import { bindingOf, type TypeName } from "../contract/catalog.js";
import { LATEST_VERSION, type Latest } from "../contract/current/index.js";
import { badArgument, clip, errorAt, type Finding, PartwireError, UsageError } from "../errors.js";
import type { Versions } from "../generated/rooms.js";
import type { Version } from "../generated/versions.js";
import { stringify } from "../json/digits.js";
import { isBytes, withoutText } from "../json/documents.js";
import type { JsonValue } from "../json/values.js";
import { findingsOf, jsonOf, type Mode, type ReadResult, readAs, written } from "./checks.js";
import { unknownMembersOf } from "./tolerance.js";

export type { Mode, ReadResult } from "./checks.js";

/** How a document is read. */
export interface ReadOptions<V extends Version = Latest> {
  /** A contract version; the latest where absent. */
  readonly version?: V;
}

type Strict<V extends Version, T> = T extends keyof Versions[V]["types"] ? Versions[V]["types"][T] : never;
type Tolerant<V extends Version, T> = T extends keyof Versions[V]["tolerant"] ? Versions[V]["tolerant"][T] : never;

/**
 * Returns what is wrong with `document` as a `type`, such as `message.Message`. `document` is JSON
 * text (a string or bytes), or a JSON value. Findings come in document order, errors and warnings;
 * none means valid. Throws UsageError for an unknown type or version, never for a document.
 */
export function validate<V extends Version = Latest>(
  document: unknown,
  type: TypeName<V> | (string & {}),
  options: ReadOptions<V> = {},
): Finding[] {
  const binding = bindingOf(type, options.version ?? LATEST_VERSION);
  try {
    return findingsOf(binding, withoutText(document));
  } catch (error) {
    if (error instanceof PartwireError) return [...error.findings];
    throw error;
  }
}

/**
 * Returns `data` (JSON text, or a JSON value) as `type`, without unknown members; see
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
  return readValue(withoutText(data), type, options.mode ?? "strict", options.version ?? LATEST_VERSION).value;
}

/**
 * Reads as {@link read}, and says what was found beside errors. In `tolerant` mode an unknown enum
 * value becomes the enum's safe default ({@link rawValue} says what came), a variant of an unknown
 * tag becomes {@link Unknown}, null for an optional member is absent; a known tag with a bad body
 * stays an error. Throws ReadError with all findings, UsageError for an unknown type, version or mode.
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
  return readValue(withoutText(data), type, options.mode ?? "strict", options.version ?? LATEST_VERSION);
}

/** Reads bytes or a JSON value where names are not known to the type checker; throws as {@link readWithFindings}. */
export function readValue(data: unknown, type: string, mode: Mode, version: string): ReadResult<unknown> {
  if (mode !== "strict" && mode !== "tolerant") {
    const message = "No such reading mode";
    throw new UsageError(errorAt("", "usage/unknown-mode", message, "strict or tolerant", clip(mode)));
  }
  return readAs(bindingOf(type, version), data, mode);
}

/**
 * Returns pointers to the members of `document` that `type` does not name: reading leaves them out.
 * `document` is JSON text, or a JSON value, and need not be valid. A variant of an unknown tag
 * is kept whole: nothing in it counts. Throws ReadError for what is not JSON, UsageError for an unknown
 * type or version.
 */
export function unknownMembers<V extends Version = Latest>(
  document: unknown,
  type: TypeName<V> | (string & {}),
  options: ReadOptions<V> = {},
): string[] {
  const { data, name } = bindingOf(type, options.version ?? LATEST_VERSION);
  return unknownMembersOf(data, name, jsonOf(withoutText(document)));
}

// --- writing --------------------------------------------------------------------------------------

/**
 * Returns `value` as the JSON value that is written: without unknown members, an {@link Unknown}
 * verbatim, and what a safe default was taken for. Throws WriteError with the errors if it is not
 * valid; warnings do not stop a document.
 */
export function toWire<V extends Version = Latest>(
  value: unknown,
  type: TypeName<V> | (string & {}),
  options: ReadOptions<V> = {},
): JsonValue {
  return written(bindingOf(type, options.version ?? LATEST_VERSION), value);
}

/** Returns `value` as JSON text; see {@link toWire}. */
export function dump<V extends Version = Latest>(
  value: unknown,
  type: TypeName<V> | (string & {}),
  options: ReadOptions<V> = {},
): string {
  return stringify(toWire(value, type, options));
}

/** Throws UsageError unless `messages` can be iterated and is not a single value. */
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

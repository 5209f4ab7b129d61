/** What all bridges share: reading the source, noting losses, building the result. */

import { instantOf, textOf } from "../../contract/times.js";
import { clip, errorAt, type Finding, isSome, PartwireError, ReadError, UsageError } from "../../errors.js";
import { LAST_MS } from "../../generated/tables/limits.js";
import { LOSSES, type LossCode, SINCE } from "../../generated/tables/losses.js";
import { VERSIONS, type Version } from "../../generated/versions.js";
import { opened } from "../../reading/checks.js";
import { Removed } from "../../reading/tolerance.js";
import { inOrder, type Loss } from "../losses.js";
import { type Context, givenBy, type ValueName } from "./context.js";
import { readDocument, unknownMembers } from "./types.js";

// --- the conversion ------------------------------------------------------------------------------

/** The converted value, its type, and what the conversion changed, by place. */
export interface BridgeResult<T = unknown> {
  readonly value: T;
  /** The type of the value, or of each item where it is a list. */
  readonly type: string;
  readonly losses: readonly Loss[];
}

/**
 * Returns the losses that `version` of the contract knows, in order. Who serves a reader of an older
 * version the result as that version has it (see `downgrade` of `partwire/migrate`) serves the losses
 * that belong to it: what is new since is about members that the older result does not have. Throws
 * UsageError `usage/unknown-version`.
 */
export function lossesFor(losses: Iterable<Loss>, version: string): Loss[] {
  const at = VERSIONS.indexOf(version as Version);
  if (at < 0) {
    const known = VERSIONS.join(", ");
    throw new UsageError(errorAt("", "usage/unknown-version", "No such contract version", known, clip(version)));
  }
  const isKnown = ({ code }: Loss) => VERSIONS.indexOf((SINCE.get(code) ?? VERSIONS[0]) as Version) <= at;
  return [...losses].filter(isKnown);
}

/** A conversion that does not exist, or a lossy one that was asked to be strict. */
export class BridgeError extends PartwireError {
  constructor(
    findings: Finding | readonly [Finding, ...Finding[]],
    /** All losses of the refused conversion. */
    readonly losses: readonly Loss[] = [],
  ) {
    super(findings);
  }
}

/**
 * One conversion: the source as a list of documents, and the losses so far. The source is read
 * tolerantly; variants of unknown tags are taken out, and both they and members that the type does not
 * name are noted. Throws ReadError where a document is not valid, UsageError for a wrong context.
 */
export class Work<Source = unknown> {
  readonly context: Context;
  /** Whether one document was given, and no list of them. */
  readonly single: boolean;
  readonly source: readonly Source[];
  readonly #removed: Removed;
  readonly #losses: Loss[] = [];

  constructor(values: unknown, type: string, context: Context) {
    this.context = givenBy(context);
    this.single = !Array.isArray(values);
    const given: unknown[] = Array.isArray(values) ? values : [values];
    const places: string[] = [];
    const leftOut: string[] = [];
    // One by one: in a list, the deepest documents would be a level too deep.
    const plain = given.map((each, index) => {
      const { value, unknown } = opened(readOne(each, type, this.single ? "" : `/${index}`), true);
      for (const place of unknown) places.push(`/${index}${place}`);
      for (const place of unknownMembers(each, type)) leftOut.push(`/${index}${place}`);
      return value;
    });
    this.#removed = new Removed(plain, places);
    this.source = this.#removed.rest(plain) as Source[];
    for (const item of this.#removed.items) this.#add("unknown-variant", item);
    for (const place of leftOut) this.#add("unknown-member", place);
  }

  /** Notes a loss at a place of {@link source}. */
  note(code: LossCode, pointer: string): void {
    this.#add(code, this.#removed.pointerBefore(pointer));
  }

  #add(code: LossCode, place: string): void {
    const [severity, detail] = LOSSES[code];
    const inside = place.indexOf("/", 1);
    const pointer = this.single ? place.slice(inside < 0 ? place.length : inside) : place;
    this.#losses.push({ pointer, code, severity, detail });
  }

  /** Notes what neither a session nor blocks say of a text, whose payload is at `place`. */
  noteText(payload: object, place: string): void {
    if (Object.hasOwn(payload, "citations")) this.note("citation", `${place}/citations`);
    if (Object.hasOwn(payload, "format")) this.note("text-format", `${place}/format`);
  }

  /** Returns the caller's value, or `invented`; both are noted. */
  given<Name extends ValueName>(
    name: Name,
    pointer: string,
    code: LossCode,
    invented: NonNullable<Context[Name]>,
  ): NonNullable<Context[Name]> {
    const value = this.context[name];
    this.note(value === undefined ? code : "given", pointer);
    return value ?? invented;
  }

  /** Returns a timestamp in milliseconds, and notes what is lost. */
  ms(text: string, pointer: string): number {
    const instant = instantOf(text);
    const ms = Math.min(Math.max(instant.ms, 0), LAST_MS);
    if (ms !== instant.ms) this.note("timestamp-range", pointer);
    else if (!instant.exact) this.note("timestamp-precision", pointer);
    else if (textOf(ms) !== text) this.note("timestamp-form", pointer);
    return ms;
  }

  /** Returns milliseconds as timestamp, and notes what is lost. */
  text(ms: number, pointer: string): string {
    if (ms > LAST_MS) this.note("timestamp-range", pointer);
    return textOf(Math.min(ms, LAST_MS));
  }

  /** Returns the result: what is not a valid document does not leave. */
  finish<T>(made: readonly unknown[], type: string): BridgeResult<T[]> {
    try {
      const value = made.map((document) => readDocument(document, type, "strict") as T);
      return { value, type, losses: inOrder(this.#losses) };
    } catch (error) {
      throw error instanceof ReadError ? refused(error) : error;
    }
  }
}

function readOne(value: unknown, type: string, place: string): unknown {
  try {
    return readDocument(value, type, "tolerant");
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const [first, ...others] = error.findings;
    const moved = (finding: Finding): Finding => ({ ...finding, pointer: `${place}${finding.pointer}` });
    throw new ReadError([moved(first), ...others.map(moved)]);
  }
}

/** Says why the result's type refuses it: its depth, or an id that the caller made. */
function refused(error: ReadError): PartwireError {
  const [first] = error.findings;
  if (first.rule === "document/too-deep") {
    // The result may nest the source deeper than it was.
    const message = `The result would not be valid: ${first.message}`;
    return new BridgeError({ ...first, rule: "bridge/unsupported", message });
  }
  const message = `The context does not fit: ${first.message}`;
  return new UsageError(errorAt("", "usage/invalid-argument", message, first.expected, first.actual));
}

/** Throws BridgeError `bridge/lossy` unless all lossy losses are of the codes `accepted`. */
export function strictly(result: BridgeResult, accepted: ReadonlySet<string>): void {
  const lossy = result.losses.filter((each) => each.severity === "lossy" && !accepted.has(each.code));
  const findings = lossy.map(({ pointer, detail, code }) => errorAt(pointer, "bridge/lossy", `${detail} (${code})`));
  if (isSome(findings)) throw new BridgeError(findings, result.losses);
}

/**
 * Findings and exceptions: the one shape in which partwire says that something does not fit.
 * Findings are data; exceptions carry them. Every rule id is in `schemas/rules/`.
 */

import { CLIP_CHARS } from "./generated/tables/limits.js";
import { printable } from "./json/text.js";

/** How much a finding weighs: an error refuses, the others are for people to know. */
export type Severity = "error" | "warning" | "info";

/**
 * One result of a check. `pointer` is an RFC 6901 JSON Pointer into the document (`""` is the
 * whole document); `line` is 1-based. `actual` is clipped to 80 characters, so that a finding
 * never carries a payload.
 */
export interface Finding {
  readonly rule: string;
  readonly message: string;
  readonly pointer: string;
  readonly severity: Severity;
  readonly expected?: string;
  readonly actual?: string;
  readonly source?: string;
  readonly line?: number;
}

/** Returns a finding of severity error. */
export function errorAt(pointer: string, rule: string, message: string, expected?: string, actual?: string): Finding {
  return {
    rule,
    message,
    pointer,
    severity: "error",
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  };
}

/** Returns `value` as one line of JSON text of at most 80 characters. */
export function clip(value: unknown): string {
  const text = spelled(value);
  return text.length <= CLIP_CHARS ? text : `${printable(text.slice(0, CLIP_CHARS - 1))}…`;
}

function spelled(value: unknown): string {
  if (typeof value === "string") return printable(JSON.stringify(value.slice(0, CLIP_CHARS + 1)));
  if (Array.isArray(value)) return `array with ${counted(value.length, "item")}`;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  const kind = kindOf(value);
  if (kind !== "object") return `JavaScript's ${kind}`;
  return `object with ${counted(Object.keys(value as object).length, "member")}`;
}

/** Returns what JavaScript calls the type of a value; of an object with a class, such as Date, the class. */
export function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return typeof value;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? name : "object";
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Returns a finding as one line of text: message, pointer, expected, actual (unless the message says it)
 * and rule, behind the line and the file where it has them.
 */
export function formatFinding(finding: Finding): string {
  const { rule, message, pointer, expected, actual, source, line } = finding;
  const file = source ?? (line === undefined ? "" : "line");
  const place = line === undefined ? file : `${file}${source === undefined ? " " : ":"}${line}`;
  const words = [
    place === "" ? "" : `${place}: `,
    message,
    pointer === "" ? "" : ` at ${pointer}`,
    expected === undefined || expected === "" ? "" : `; expected ${shortened(expected)}`,
    actual === undefined || message.includes(actual) ? "" : `; actual ${actual}`,
    ` [${rule}]`,
  ];
  // One line: a member name of the document cannot begin another.
  return words
    .join("")
    .replace(
      /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

const MOST_EXPECTED = 2 * CLIP_CHARS;

function shortened(expected: string): string {
  const characters = expected.length > MOST_EXPECTED ? [...expected] : [];
  return characters.length > MOST_EXPECTED ? `${characters.slice(0, MOST_EXPECTED - 1).join("")}…` : expected;
}

/** How many findings an error spells out. */
const MOST_SAID = 3;

/**
 * Base of every exception that partwire throws on purpose; anything else is a bug. `findings` has all
 * that was found, as data; the message says the first three of them, one a line.
 */
export class PartwireError extends Error {
  readonly findings: readonly [Finding, ...Finding[]];

  constructor(findings: Finding | readonly [Finding, ...Finding[]]) {
    const all = "rule" in findings ? ([findings] as const) : findings;
    const more = all.length - MOST_SAID;
    const note = more > 0 ? [`and ${counted(more, "more finding")}, in .findings`] : [];
    super([...all.slice(0, MOST_SAID).map(formatFinding), ...note].join("\n"));
    this.name = new.target.name;
    this.findings = all;
  }

  /** The rule id of the first finding. */
  get rule(): string {
    return this.findings[0].rule;
  }
}

/** A document that is not JSON, or that its type refuses. */
export class ReadError extends PartwireError {}

/** A call that names a type, version, mode or option that does not exist. */
export class UsageError extends PartwireError {}

/** Bytes that cannot be cut into raw events, or an event beyond the size limit. */
export class FramingError extends PartwireError {}

/** A value that cannot be written: its document would not be valid. */
export class WriteError extends PartwireError {}

/**
 * A delta, or a call, that the stream's state does not allow; the state is unchanged. `seq` is the
 * refused delta's number; `limit` names the limit that it would pass.
 */
export class StreamProtocolError extends PartwireError {
  readonly seq: number | undefined;
  readonly limit: string | undefined;

  constructor(finding: Finding, seq?: number, limit?: string) {
    super(finding);
    this.seq = seq;
    this.limit = limit;
  }
}

/** Returns the error for a call that cannot be meant. */
export function badArgument(
  message: string,
  expected: string,
  actual: unknown,
  rule = "usage/invalid-argument",
): UsageError {
  return new UsageError(errorAt("", rule, message, expected, clip(actual)));
}

/** Throws the findings, or does nothing where there are none. */
export function throwAny(
  findings: readonly Finding[],
  kind: new (found: readonly [Finding, ...Finding[]]) => PartwireError,
): void {
  if (isSome(findings)) throw new kind(findings);
}

/** Tells whether there is a finding. */
export function isSome(findings: readonly Finding[]): findings is readonly [Finding, ...Finding[]] {
  return findings.length > 0;
}

/** Tells whether there is an error among findings. */
export function hasError(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === "error");
}

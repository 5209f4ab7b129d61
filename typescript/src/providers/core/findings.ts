/**
 * What an adapter found: bounded, and without a payload. A stream of a million events may be odd
 * in the same way at every one of them: the same finding is kept once.
 */
import { clip, type Finding } from "../../errors.js";
import { ADAPTER } from "../../generated/severities.js";
import { MAX_FINDINGS } from "../../generated/tables/limits.js";
import { numberTextAt } from "./spelling.js";

/** What was expected, and what came instead, as text of at most 80 characters. */
interface Said {
  readonly expected?: string;
  readonly actual?: string;
}

/** Returns a value as a finding shows it; what is absent as null. */
export function shown(value: unknown): string {
  return clip(value ?? null);
}

/** Returns a member as a finding shows it: a number as it was written. */
export function shownAt(holder: object, name: string): string {
  const value = (holder as Record<string, unknown>)[name];
  return typeof value === "number" ? numberTextAt(holder, name, value) : shown(value);
}

/**
 * The findings of one stream. A pointer is `/<event>/<member>…`: the 0-based number of the raw
 * event, then the place in it. Repeats are recognised by rule, place in the event and actual value.
 */
export class FindingLog {
  readonly findings: Finding[] = [];
  /** How many came beyond {@link MAX_FINDINGS}. */
  leftOut = 0;
  /** Number of the raw event that is being read. */
  event = -1;
  readonly #seen = new Set<string>();

  /** Keeps a finding about the raw event that is being read. */
  note(rule: keyof typeof ADAPTER, message: string, place = "", said: Said = {}): void {
    const key = JSON.stringify([rule, place, said.actual]);
    if (this.#seen.has(key)) return;
    const severity = ADAPTER[rule];
    this.add({ rule, message, pointer: `/${Math.max(this.event, 0)}${place}`, severity, ...said });
    if (this.#seen.size < MAX_FINDINGS) this.#seen.add(key);
  }

  /** Keeps a finding about a member of another type than the provider publishes. */
  invalid(place: string, expected: string, given: unknown, actual = shown(given)): void {
    const message = "The event does not have the form that the provider publishes";
    this.note("adapter/invalid-event", message, place, { expected, actual });
  }

  /** Keeps a finding about figures that do not fit together; one for each `what`. */
  usage(what: string): void {
    const said = { expected: "figures that fit together", actual: what };
    this.note("adapter/contradictory-usage", "Figures of the usage contradict each other", "", said);
  }

  /** Returns a string member, `""` where it is null, absent or, with a finding, none. */
  string(value: unknown, place: string): string {
    if (typeof value === "string") return value;
    if (value !== undefined && value !== null) this.invalid(place, "a string", value);
    return "";
  }

  /** Keeps a finding that another room made. */
  add(finding: Finding): void {
    if (this.findings.length < MAX_FINDINGS) this.findings.push(finding);
    else this.leftOut++;
  }
}

/** Keeps a finding about media whose type the provider does not say. */
export function noteUnknownType(log: FindingLog, place: string): void {
  const message = "The stream does not say the type of this media; it counts as bytes";
  log.note("adapter/unknown-media-type", message, place, { expected: "a media type" });
}

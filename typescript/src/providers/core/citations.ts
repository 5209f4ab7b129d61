/** Sources of citations, out of members as providers have them. */

/** A citation as the contract has it, without the provider's own. */
export interface Cited {
  readonly start: number;
  readonly end: number;
  readonly source: Record<string, unknown>;
  readonly quotedText?: string;
}

/** Returns a citation of a stretch of text; what the source says is left out where it is "". */
export function cited(start: number, end: number, source: Record<string, unknown>, quotedText: string): Cited {
  return { start, end, source, ...(quotedText === "" ? {} : { quotedText }) };
}

/** Returns members of a source that are text; an index is the text of an id. */
export function named(members: Readonly<Record<string, unknown>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === "string" && value !== "") found[name] = value;
    else if (isCount(value)) found[name] = String(value);
  }
  return found;
}

/** Returns a source's `locator` as a member; none where the provider does not count so. */
export function locator(unit: string, start: unknown, end: unknown): Record<string, unknown> {
  if (!isCount(start)) return {};
  return { locator: { unit, start, ...(isCount(end) ? { end } : {}) } };
}

/** Returns a value that is the address of a page. */
export function webAddress(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//.test(value) ? value : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

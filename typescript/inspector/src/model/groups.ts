/** Items that are alike, together; and of findings, like ones as one. */

import type { Finding, Severity } from "partwire";

/** Returns items by what `keyOf` says of each, in the order of the first of each key. */
export function grouped<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}

export interface FindingGroup {
  readonly first: Finding;
  /** All of them, the first included, in order. */
  readonly all: readonly Finding[];
}

const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

/**
 * Returns findings in groups, the errors first, then in the order of their first ones. Those are alike of which all
 * is the same but numbers and the value that was found, in one file.
 */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = grouped(findings, ({ source = "", rule, severity, pointer, message, expected = "" }) => {
    const said = `${pointer}\n${message}\n${expected}`.replace(/\d+/g, "0");
    return [source, rule, severity, said].join("\n");
  });
  const all = [...groups.values()].map((each): FindingGroup => ({ first: each[0] as Finding, all: each }));
  return SEVERITIES.flatMap((severity) => all.filter(({ first }) => first.severity === severity));
}

/** Findings that are alike, as one. */

import type { Finding, Severity } from "partwire";

export interface FindingGroup {
  readonly first: Finding;
  /** All of them, the first included, in order. */
  readonly all: readonly Finding[];
}

export const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

/**
 * Returns findings in groups, the errors first, then in the order of their first ones. Those are alike of which all
 * is the same but numbers and the value that was found, in one file.
 */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { source, rule, severity, pointer, message, expected } = finding;
    const said = `${pointer}\n${message}\n${expected ?? ""}`.replace(/\d+/g, "0");
    const key = [source ?? "", rule, severity, said].join("\n");
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [finding]);
    else known.push(finding);
  }
  const all = [...groups.values()].map((each): FindingGroup => ({ first: each[0] as Finding, all: each }));
  return SEVERITIES.flatMap((severity) => all.filter(({ first }) => first.severity === severity));
}

/** What commands report with `--format json`, as far as the page shows it. Members are as in report.schema.json. */

import type { Finding } from "partwire";
import { isObject } from "../../../src/json/values.js";

export interface Report {
  readonly tool: { readonly name: string; readonly version: string };
  readonly command: string;
  readonly contract?: string;
  readonly findings: readonly Finding[];
  readonly details?: unknown;
  readonly sources: number;
  readonly documents: number;
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  readonly ignored: number;
  readonly accepted: number;
  readonly unreadable: number;
  readonly statistics: Readonly<Record<string, number>>;
  readonly passed: boolean;
}

/** Returns a report without what cannot be shown as a finding. */
export function reportOf(value: Readonly<Record<string, unknown>>): Report {
  const findings = Array.isArray(value["findings"]) ? (value["findings"] as readonly unknown[]) : [];
  return { ...(value as unknown as Report), findings: findings.filter(isFinding) };
}

function isFinding(value: unknown): value is Finding {
  if (!isObject(value)) return false;
  const texts = ["rule", "message", "pointer"].every((name) => typeof value[name] === "string");
  return texts && ["error", "warning", "info"].includes(String(value["severity"]));
}

export interface Spot {
  readonly pointer: string;
  readonly source?: string;
  readonly line?: number;
}

export interface Change {
  readonly fingerprint: string;
  readonly rule: string;
  readonly pointer: string;
  readonly message: string;
  readonly direction: string;
  readonly bump: string;
  readonly old: Spot | null;
  readonly new: Spot | null;
  readonly accepted: string | null;
}

export interface Refusal {
  readonly instance: string;
  readonly schema: string;
  readonly document: string;
  readonly message: string;
}

export interface Verdict {
  readonly entrypoint: string;
  readonly status: string;
  readonly direction: "backward" | "forward";
  readonly reading: string;
  readonly accepted?: boolean;
  readonly changes?: readonly string[];
  readonly others?: readonly string[];
  readonly hidden?: string;
  readonly witness?: unknown;
  readonly refusals?: readonly Refusal[];
  readonly open?: readonly { readonly pointer: string; readonly reason: string }[];
}

export interface Comparison {
  readonly old: string;
  readonly new: string;
  readonly bump: string;
  readonly verdicts: readonly Verdict[];
  readonly changes: readonly Change[];
  readonly notes: readonly Change[];
  readonly replays: readonly Readonly<Record<string, unknown>>[];
}

export type Counts = Readonly<Record<string, number>>;

export interface Implementation {
  readonly name: string;
  readonly version?: string | null;
  readonly language?: string | null;
  readonly problem?: string;
  readonly counts: Counts;
  readonly suites: readonly { readonly version: string; readonly suite: string; readonly counts: Counts }[];
  readonly runs: readonly {
    readonly run: string;
    readonly status: string;
    readonly detail?: string;
    readonly known?: string;
  }[];
}

/** Suites by implementation: what each has in each. */
export interface Matrix {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly suite: string; readonly cells: readonly (Counts | undefined)[] }[];
}

/** Returns the suites of all implementations, in the order in which the first one has them. */
export function matrixOf(implementations: readonly Implementation[]): Matrix {
  const rows = new Map<string, (Counts | undefined)[]>();
  for (const [column, { suites }] of implementations.entries()) {
    for (const { version, suite, counts } of suites) {
      const name = `${version} ${suite}`;
      const cells = rows.get(name) ?? implementations.map(() => undefined);
      cells[column] = counts;
      rows.set(name, cells);
    }
  }
  return {
    columns: implementations.map(({ name }) => name),
    rows: [...rows].map(([suite, cells]) => ({ suite, cells })),
  };
}

/** Returns the changes of a comparison that a verdict's witness shows. */
export function changesOf({ changes = [] }: Verdict, comparison: Comparison): readonly Change[] {
  return comparison.changes.filter(({ fingerprint }) => changes.includes(fingerprint));
}

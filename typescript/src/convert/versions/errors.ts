/** What a refused migration says. */

import { errorAt, type Finding, PartwireError } from "../../errors.js";
import type { Loss } from "../losses.js";

/** A migration that cannot be, or that would lose something and was asked to be strict. */
export class MigrationError extends PartwireError {
  constructor(
    findings: Finding | readonly [Finding, ...Finding[]],
    /** All losses of the refused migration. */
    readonly losses: readonly Loss[] = [],
  ) {
    super(findings);
  }
}

/** Throws MigrationError `migrate/lossy` if one of `losses` is lossy. */
export function refuseLossy(losses: readonly Loss[]): void {
  if (losses.some((each) => each.severity === "lossy")) throw lossyError(losses);
}

/** Returns the MigrationError `migrate/lossy` of losses of which one is lossy. */
export function lossyError(losses: readonly Loss[]): MigrationError {
  const lossy = losses.filter((each) => each.severity === "lossy");
  const findings = lossy.map(({ pointer, detail, code }) => errorAt(pointer, "migrate/lossy", `${detail} (${code})`));
  return new MigrationError(findings as [Finding, ...Finding[]], losses);
}

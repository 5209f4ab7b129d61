/** The present instant, for whoever does not bring a clock: sans-IO rooms are given one. */

/** Returns the present instant as the contract writes it: UTC, to the millisecond, with `Z`. */
export function now(): string {
  return new Date().toISOString();
}

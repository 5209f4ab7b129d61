/** The present instant, for whoever does not bring a clock: sans-IO rooms are given one. */

let instant = Number.NaN;
let written = "";

/** Returns the present instant as the contract writes it: UTC, to the millisecond, with `Z`. */
export function now(): string {
  const present = Date.now();
  // Writing it takes as long as all else that is done for a delta, and many come in one millisecond.
  if (present !== instant) {
    written = new Date(present).toISOString();
    instant = present;
  }
  return written;
}

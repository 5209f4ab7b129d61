/** Numbers, sizes and times for people. */

/** Returns a size for people: `340 bytes`, `2.4 KiB`. */
export function bytesWords(bytes: number): string {
  if (bytes < 1024) return countOf(bytes, "byte");
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}

/** Returns a count with its noun: `1 step`, `2 steps`. */
export function countOf(count: number, noun: string): string {
  return `${numberWords(count)} ${noun}${count === 1 ? "" : "s"}`;
}

// One for all: it is made for every figure otherwise, and a page that follows a stream has many.
const numbers = new Intl.NumberFormat("en");

/** Returns a number with its thousands apart: `2,000`. */
export function numberWords(value: number): string {
  return numbers.format(value);
}

/** Returns a time span: `340 ms`, `2.41 s`, `3:07`, `1:03:07`. */
export function timeWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Returns a rate; below ten with one decimal, if that is not zero. */
export function rateWords(rate: number): string {
  return numberWords(rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10);
}

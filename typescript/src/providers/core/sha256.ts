/** SHA-256 of a few bytes, at once: what the platform has for it comes later, as a promise. */

/** Returns the first `count` primes. */
function primes(count: number): number[] {
  const found: number[] = [];
  for (let each = 2; found.length < count; each++) {
    if (found.every((prime) => each % prime !== 0)) found.push(each);
  }
  return found;
}

const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

let constants: readonly number[] | undefined;

/** Returns the digest in lower-case hexadecimal. Source: FIPS 180-4. */
export function sha256(data: Uint8Array): string {
  constants ??= primes(64).map((prime) => fraction(Math.cbrt(prime)));
  const state = primes(8).map((prime) => fraction(Math.sqrt(prime)));
  const padded = new Uint8Array((((data.length + 8) >> 6) + 1) << 6);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(padded.length - 4, data.length << 3);
  for (let at = 0; at < padded.length; at += 64) mix(state, schedule(view, at), constants);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Returns the 64 words of a block. */
function schedule(view: DataView, at: number): number[] {
  const words: number[] = [];
  for (let index = 0; index < 64; index++) {
    if (index < 16) {
      words.push(view.getInt32(at + 4 * index));
      continue;
    }
    const [far, near] = [words[index - 15] as number, words[index - 2] as number];
    const small = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const large = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words.push(((words[index - 16] as number) + small + (words[index - 7] as number) + large) | 0);
  }
  return words;
}

function mix(state: number[], words: readonly number[], constants: readonly number[]): void {
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index++) {
    const large = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + large + ((e & f) ^ (~e & g)) + (constants[index] as number) + (words[index] as number)) | 0;
    const small = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = ((state[index] as number) + word) | 0;
}

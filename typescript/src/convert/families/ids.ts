/** Ids that always belong to what they are made of: UUIDs of version 5. */
import { jsonText } from "../../json/compact.js";

const NAMESPACE = [0x5f, 0x0f, 0x3d, 0x0e, 0x6a, 0x0a, 0x5c, 0x55, 0x9b, 0x7c, 0x2f, 0x8f, 0x6d, 0x1c, 0x7a, 0x10];
const encoder = new TextEncoder();

/** Tells whether `text` is a UUID in the contract's form. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** Returns the UUID that always belongs to `parts`. Source: RFC 9562, section 5.5. */
export function derivedId(...parts: readonly (string | number)[]): string {
  const name = encoder.encode(jsonText(parts.map(String)));
  const bytes = sha1(Uint8Array.from([...NAMESPACE, ...name])).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// Web Crypto hashes asynchronously alone, and conversions wait for nothing.

/** Returns the SHA-1 of bytes. Source: RFC 3174. */
function sha1(data: Uint8Array): Uint8Array {
  const padded = new DataView(new ArrayBuffer((((data.length + 8) >> 6) + 1) << 6));
  new Uint8Array(padded.buffer).set(data);
  padded.setUint8(data.length, 0x80);
  padded.setUint32(padded.byteLength - 8, Math.floor(data.length / 0x20000000));
  padded.setUint32(padded.byteLength - 4, data.length << 3);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0] as Words;
  for (let at = 0; at < padded.byteLength; at += 64) addBlock(state, padded, at);
  const digest = new DataView(new ArrayBuffer(20));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

type Words = [number, number, number, number, number];

function addBlock(state: Words, padded: DataView, from: number): void {
  const schedule = new Int32Array(80);
  for (let t = 0; t < 16; t++) schedule[t] = padded.getInt32(from + t * 4);
  const before = (t: number): number => schedule[t] ?? 0;
  for (let t = 16; t < 80; t++)
    schedule[t] = rotated(before(t - 3) ^ before(t - 8) ^ before(t - 14) ^ before(t - 16), 1);
  let [a, b, c, d, e] = state;
  for (let t = 0; t < 80; t++) {
    const next = (rotated(a, 5) + mixed(t, b, c, d) + e + before(t)) | 0;
    [a, b, c, d, e] = [next, a, rotated(b, 30), c, d];
  }
  for (const [index, word] of [a, b, c, d, e].entries()) state[index] = ((state[index] ?? 0) + word) | 0;
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function mixed(t: number, b: number, c: number, d: number): number {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

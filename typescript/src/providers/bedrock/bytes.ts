/** Bytes of the Converse format: Base64 in JSON, bytes as AWS's own clients give them. */
import { isObject, put } from "../../json/values.js";
import { base64Of, bytesOf } from "../core/base64.js";
import { memberNames, spelledLike } from "../core/spelling.js";
import type { Members } from "../core/values.js";

/** Returns a value whose bytes, wherever they stand in it, are Base64 text. */
export function asBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return base64Of(value);
  if (Array.isArray(value)) return spelledLike(value.map(asBase64), value);
  return isObject(value) ? copyAsBase64(value) : value;
}

/** Returns a copy of an object whose bytes are Base64 text. */
export function copyAsBase64(value: Members): Members {
  const made: Members = {};
  for (const name of memberNames(value)) put(made, name, asBase64(value[name]));
  return spelledLike(made, value);
}

/**
 * Returns the Base64 of bytes that came in pieces, each of them Base64 on its own. A single piece
 * stays as it is; pieces that are no Base64 are put one behind the other.
 */
export function joinBase64(texts: readonly string[]): string {
  const pieces = texts.length < 2 ? undefined : texts.map(bytesOf);
  const sound = pieces?.filter((piece) => piece !== undefined);
  if (sound === undefined || sound.length < texts.length) return texts.join("");
  const whole = new Uint8Array(sound.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of sound) {
    whole.set(piece, at);
    at += piece.length;
  }
  return base64Of(whole);
}

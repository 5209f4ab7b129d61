/** What the protocol writes for bytes, findings, refusals and names. */
import { PartwireError } from "../../dist/index.js";

/** A run that this implementation cannot do here; the message says why. */
export class Skip extends Error {}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the bytes that a Text of the protocol encodes. */
export function bytesOf(text) {
  if (typeof text !== "string") return Uint8Array.from(Buffer.from(text.base64, "base64"));
  if (!text.isWellFormed()) throw new TypeError("no text: half a surrogate pair has no UTF-8");
  return encoder.encode(text);
}

/** Returns bytes as a Text of the protocol. */
export function textOf(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}

export const findingsOf = (findings) => findings.map(({ rule, pointer, severity }) => ({ rule, pointer, severity }));

export const placeOf = (error) => ({ rule: error.findings[0].rule, pointer: error.findings[0].pointer });

export const refusalOf = (error) => ({ error: { ...placeOf(error), findings: findingsOf(error.findings) } });

/** Returns losses as the protocol has them. */
export const lossesOf = (losses) => losses.map(({ code, pointer, severity }) => ({ code, pointer, severity }));

/** Returns a clock: `start` first, and every further reading `step_ms` later. */
export function clockOf({ start, step_ms: step }) {
  let at = Date.parse(start);
  return () => {
    const now = new Date(at).toISOString().replace(".000Z", "Z");
    at += step;
    return now;
  };
}

/** Returns what `work` gives, or `refused` of an error of the contract; any other is thrown. */
export function guarded(work, refused) {
  try {
    return work();
  } catch (error) {
    if (error instanceof PartwireError) return refused(error);
    throw error;
  }
}

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
export const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camelKeys = (object) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [camel(name), value]));

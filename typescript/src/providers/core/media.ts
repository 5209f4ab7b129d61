/** Media that is open, and the Base64 of its pieces. */

import { isBase64 } from "../../json/base64.js";

/** Media that has been announced; it begins, as a part, with its first bytes. */
export class OpenMedia {
  /** The index of its part, -1 until it begins. */
  part = -1;
  /** What has been said in it, and is not written yet. */
  words = "";
  half = "";
  /** What the provider wants back with it: kind and data of each item. */
  readonly kept: [kind: string, data: unknown][] = [];

  constructor(
    public mediaId: string | undefined,
    readonly mimeType: string,
    readonly name: string | undefined,
  ) {}
}

/**
 * Returns Base64 as the contract writes it: the same bytes, bits beyond them zero. Undefined for
 * what is not Base64 of the standard alphabet, padded, without line breaks.
 */
export function wholeBase64(value: unknown): string | undefined {
  if (typeof value !== "string" || !isBase64(value)) return undefined;
  return value.endsWith("=") ? value.slice(0, -4) + btoa(atob(value.slice(-4))) : value;
}

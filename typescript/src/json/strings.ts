/** JSON texts of a known form, read by a regular expression: what is frequent is worth it. */
import { isUnicode } from "./text.js";

/** The source of an expression for a JSON string; its group is what is between the quotes. */
export const STRING = String.raw`"([^"\\\u0000-\u001f]*(?:\\.[^"\\\u0000-\u001f]*)*)"`;

/** The longest text for which to try: a long one takes much of an expression's memory, and wins little. */
export const LONGEST_MATCHED = 4096;

/** Returns the text that is written between the quotes of a string; undefined if that is not JSON, or not Unicode. */
export function unescaped(written: string): string | undefined {
  if (!written.includes("\\")) return written;
  try {
    const text = JSON.parse(`"${written}"`) as string;
    return isUnicode(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What a provider wants back unchanged, and what of a raw event may be shown.
 *
 * Signatures, encrypted reasoning, server-side tool blocks and citations have no field of their
 * own, yet some providers refuse a history that lacks them. Adapters collect them, with the place
 * that each belongs to, and the deltas carry them as `opaque`.
 */
import { isObject, type JsonValue, put } from "../../json/values.js";
import { base64Of } from "./base64.js";
import { wellFormed } from "./values.js";

const MAX_DEPTH = 64;

/** One piece of provider state. */
export interface OpaqueItem {
  /** Names it: `signature`, `redacted_thinking`, `citation` … */
  readonly kind: string;
  /** The provider's JSON value as it came. */
  readonly data: unknown;
  /** The 0-based index of the message part that it belongs to. */
  readonly part: number;
  /**
   * Counts characters (code points) of that part's text: the item covers what stands between
   * `start` and `end`, or stands in between where both are equal, at 0 before the part. Without
   * them it belongs to the part as a whole, as what comes with a tool call does.
   */
  readonly start?: number;
  readonly end?: number;
}

/**
 * Returns a copy of provider state as documents may hold it: halves of characters become U+FFFD,
 * figures that are none null, and so does what is nested deeper than 64 levels.
 */
export function storable(value: unknown, depth = 0): JsonValue {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item: unknown) => storable(item, depth + 1));
  if (!isObject(value)) return null;
  const made = {};
  for (const [name, item] of Object.entries(value)) put(made, wellFormed(name), storable(item, depth + 1));
  return made;
}

const SECRET_NAMES = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
  "api_key",
  "apikey",
  "access_token",
  "client_secret",
]);
const SECRET_PARAMETERS = ["key", "apikey", "api-key", "api_key", "access_token", "sig", "token"];
const SPACES = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const SECRET_QUERY = new RegExp(`([?&](?:${SECRET_PARAMETERS.join("|")})=)[^&#"'${SPACES}]+`, "giu");
const HIDDEN = "[redacted]";

/**
 * Returns a copy of a JSON value without credentials: headers and query parameters. It is storable:
 * halves of characters become U+FFFD, figures that are none null, and so does what is nested deeper
 * than 64 levels, which is of no use to a reader either. Bytes, which AWS's clients give, become
 * Base64.
 */
export function withoutSecrets(value: unknown, depth = 0): JsonValue {
  if (typeof value === "string") {
    const text = wellFormed(value);
    return text.includes("=") ? text.replace(SECRET_QUERY, `$1${HIDDEN}`) : text;
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (value instanceof Uint8Array) return base64Of(value);
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutSecrets(item, depth + 1));
  if (!isObject(value)) return null;
  const made = {};
  for (const [name, item] of Object.entries(value)) {
    put(made, wellFormed(name), SECRET_NAMES.has(name.toLowerCase()) ? HIDDEN : withoutSecrets(item, depth + 1));
  }
  return made;
}

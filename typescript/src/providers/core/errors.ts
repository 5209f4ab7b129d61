/**
 * Provider errors: what a provider calls them → the contract's error codes.
 *
 * Asked in this order: a code or type that says it plainly, the HTTP status that many vendors use
 * as a code, and where these say too little, words of the message.
 * Source: semantics, model and adapters.
 */
import * as tables from "../../generated/tables/provider-errors.js";
import { RETRYABLE } from "../../generated/tables/provider-errors.js";
import { isObject } from "../../json/values.js";
import { shown, shownAt } from "./findings.js";
import { digitsAt, integerAt, spelledAs } from "./spelling.js";
import { firstCharacters, type Members, member, saidMember, saysAnything } from "./values.js";

export { RETRYABLE };

const NAME_TABLE = new Map([...tables.NAMES.values()].flatMap((names) => [...names]));
const VAGUE: ReadonlySet<string> = new Set(tables.VAGUE);
const BARE: ReadonlySet<string> = new Set(tables.BARE_MEMBERS);

/**
 * An error in the provider's own words. `code` and `type` are its names for it (a numeric code as
 * decimal text), `status` the HTTP status if it gives one. For logs and for the way back: nothing
 * may depend on the text.
 */
export interface ProviderError {
  readonly code?: string;
  readonly type?: string;
  readonly message?: string;
  readonly status?: number;
}

/**
 * Returns what an error object of any vendor says: an object, or only a text. Unwraps
 * `{"error": …}`, `{"detail": …}`, `{"message": {…}}` and `{"errors": [{…}]}`, one level each.
 */
export function readError(given: unknown): ProviderError {
  const value = unwrapped(given);
  if (!isObject(value)) return present({ message: textAt({ value }, "value") });
  const code = firstGiven(value, tables.CODE_MEMBERS);
  const named = firstGiven(value, tables.STATUS_MEMBERS);
  const status = named === undefined ? undefined : statusAt(value, named);
  let type = textAt(value, firstGiven(value, tables.TYPE_MEMBERS));
  // Google's name for it is here, not a number.
  if (type === undefined && status === undefined && typeof value["status"] === "string") type = textAt(value, "status");
  return present({
    code: textAt(value, code),
    type,
    message: messageOf(value),
    status: status ?? (code === undefined ? undefined : statusAt(value, code)),
  });
}

function unwrapped(given: unknown): unknown {
  let value = given;
  const errors = isObject(value) ? member(value, "errors") : undefined;
  if (Array.isArray(errors) && errors.length > 0) value = errors[0];
  for (const key of ["error", "detail", "message"]) {
    const inner = isObject(value) ? member(value, key) : undefined;
    if (!isObject(value) || !isObject(inner)) continue;
    const { [key]: _, ...others } = value;
    value = spelledAs({ ...others, ...inner }, value, inner);
  }
  return value;
}

function messageOf(value: Members): string | undefined {
  for (const name of tables.MESSAGE_MEMBERS) {
    const text = textAt(value, name);
    if (text !== undefined) return text;
  }
  const detail = member(value, "detail");
  return Array.isArray(detail) ? refusedMembers(detail) : undefined;
}

function present(error: { [Name in keyof ProviderError]: ProviderError[Name] | undefined }): ProviderError {
  const given = Object.entries(error).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(given) as ProviderError;
}

/** Returns the contract's code for a provider's error; `unknown` where nothing shows it. */
export function errorCode(error: ProviderError): string {
  const { code, type, message } = error;
  // A number is a name with one vendor alone, which gives no type beside it.
  const isNumbered = type !== undefined && code !== undefined && /^[0-9]+$/.test(code);
  const names = (isNumbered ? [type] : [code, type]).map(byName).filter((each) => each !== undefined);
  let found = names.find((each) => !VAGUE.has(each)) ?? names[0] ?? byStatus(error.status);
  if (found === undefined || VAGUE.has(found)) {
    const words = firstCharacters(message ?? "", 2000).toLowerCase();
    found = tables.PHRASES.find((phrase) => words.includes(phrase.words))?.code ?? found;
  }
  return found ?? byName(message) ?? "unknown";
}

/**
 * Returns the error that an event without choices carries, undefined if it carries none.
 *
 * `{"error": …}` is the published form; servers also send their own HTTP error bodies:
 * `{"object": "error", "message": …}` (vLLM), `{"detail": …}` (FastAPI), `{"code": …,
 * "message": …}` (DashScope), `{"code": …, "error": "…"}` (xAI), `{"message": …}` (AWS),
 * `{"errors": [{…}]}` (Cloudflare), `{"base_resp": {"status_code": …}}` (MiniMax), and an
 * exception of AWS's as an event by its name.
 */
export function errorBody(event: Members): unknown {
  const error = saidError(event);
  if (error !== undefined) return typeof event["error"] === "string" ? event : error;
  if (event["object"] === "error" || event["type"] === "error") return event;
  const body = member(event, "choices") === undefined ? bodyWithoutError(event) : undefined;
  if (body !== undefined && saysAnything(body)) return body;
  const base = member(event, "base_resp");
  if (!isObject(base) || saidMember(base, "status_code") === undefined) return undefined;
  const name = tables.MINIMAX.get(integerAt(base, "status_code") ?? Number.NaN);
  return { code: asWritten(base, "status_code"), message: asWritten(base, "status_msg"), type: name ?? "unknown" };
}

/** Returns the member `error` as {@link readError} reads it: an integer as its digits, no other number. */
export function errorIn(holder: Members): unknown {
  const { error } = holder;
  return typeof error === "number" ? (textAt(holder, "error") ?? {}) : error;
}

/** Returns the member `error` if it says anything, else undefined. */
export function saidError(holder: Members): unknown {
  return saysAnything(holder["error"]) ? errorIn(holder) : undefined;
}

/** Returns the error object of an AWS exception, a member of an event: its name as the code, and what it says. */
export function exceptionBody(event: Members, name: string): Members {
  const body = event[name];
  if (!isObject(body)) return { code: name, message: asWritten(event, name) };
  const message = asWritten(body, Object.hasOwn(body, "message") ? "message" : "Message");
  return { code: name, message, status: asWritten(body, "originalStatusCode") };
}

/** Returns a member for an object that has no spelling: an integer as its digits, no other number. */
function asWritten(holder: Members, name: string): unknown {
  const value = member(holder, name);
  return typeof value === "number" ? textAt(holder, name) : value;
}

/** Returns what an error body says that has no member `error`, undefined if it is not an error. */
function bodyWithoutError(event: Members): unknown {
  const detail = saidMember(event, "detail");
  if (detail !== undefined && !Object.hasOwn(event, "object")) {
    const plain = typeof detail === "object" ? detail : textIn(event, "detail");
    return { [Array.isArray(detail) ? "detail" : "message"]: plain };
  }
  const words = saidMember(event, "message") ?? member(event, "Message");
  const names = Object.keys(event);
  if (typeof words === "string") {
    if (saidMember(event, "code") !== undefined || names.every((name) => BARE.has(name))) return event;
  }
  const errors = member(event, "errors");
  if (Array.isArray(errors) && isObject(errors[0])) return errors[0];
  const [name] = names;
  if (names.length === 1 && name?.endsWith("Exception") === true) return exceptionBody(event, name);
  return undefined;
}

/** Returns what FastAPI has against a request: a list of messages, each with its place. */
function refusedMembers(detail: readonly unknown[]): string {
  const words = detail.filter((item): item is Members => isObject(item) && Object.hasOwn(item, "msg"));
  if (words.length === 0) return shown(detail);
  const said = words.slice(0, 5).map((item) => shownAt(item, "msg"));
  return `Input validation error: ${said.join("; ")}`;
}

/** Returns the name of the first of some members that is not null. */
function firstGiven(value: Members, names: readonly string[]): string | undefined {
  return names.find((name) => member(value, name) !== undefined);
}

function byName(name: string | undefined): string | undefined {
  if (name === undefined || name === "") return undefined;
  const lower = firstCharacters(name, 100).toLowerCase().replace(/[- .]/g, "_");
  const plainName = lower.replace(/exception$/, "").replace(/_+$/, "");
  return NAME_TABLE.get(plainName) ?? NAME_TABLE.get(plainName.replace(/error$/, "").replace(/_$/, ""));
}

function byStatus(status: number | undefined): string | undefined {
  if (status === undefined) return undefined;
  return tables.STATUSES.get(status) ?? (status >= 500 ? "provider_internal" : "invalid_request");
}

function statusAt(holder: Members, name: string): number | undefined {
  const value = holder[name];
  const number = typeof value === "string" && /^[0-9]{3}$/.test(value) ? Number(value) : integerAt(holder, name);
  return number !== undefined && number >= 400 && number <= 599 ? number : undefined;
}

const MOST = 2n ** 64n;

/** Returns a member as text: a string that is not empty, or an integer of at most 64 bits. */
function textAt(holder: Members, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const value = member(holder, name);
  if (typeof value === "string") return value || undefined;
  return asText(digitsAt(holder, name));
}

function asText(digits: string | undefined): string | undefined {
  if (digits === undefined || digits.length > 21 || !/^-?[0-9]+$/.test(digits)) return undefined;
  const value = BigInt(digits);
  return value < MOST && value > -MOST ? digits : undefined;
}

/** Returns a member as text: a string, or else as a finding shows it. */
function textIn(holder: Members, name: string): string {
  const value = holder[name];
  return typeof value === "string" ? value : shownAt(holder, name);
}

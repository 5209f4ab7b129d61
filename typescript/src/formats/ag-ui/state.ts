/**
 * Provider state: `encryptedValue`, and `opaque` of a part.
 *
 * State of a provider that an adapter of ours wrote goes whole into an encrypted value, as JSON text:
 * nobody but its producer reads one. What other producers wrote stays whole in `opaque`.
 */

import { PartwireError } from "../../errors.js";
import { jsonText } from "../../json/compact.js";
import { decodeJson } from "../../json/documents.js";
import { isObject, own } from "../../json/values.js";
import type { Json, Members } from "../core/reading.js";
import { isNested } from "../core/source.js";

export const OWN = "ag-ui";
/** The type of an encrypted value that is ours; 1.0 has no types. */
export const OURS = "partwire.opaque";
/** How deep state may be nested: an assembler takes a little more. */
export const MOST_LEVELS = 100;

const VALUE = "encryptedValue";
const TYPE = "encryptedValueType";
/** Where opaque data of ours keeps that of a provider beside members of the protocol. */
const STATE = "state";
const SUFFIX = "-reasoning";

/** What an entity of the protocol says of its state: the value, its type, and other members. */
export interface Kept {
  readonly value?: string | undefined;
  readonly type?: string | undefined;
  readonly own: Json;
}

/** Takes the encrypted value of an entity, with members of `own` that are there. */
export function takeState(members: Members, own: Json = {}): Kept {
  const value = members.text(VALUE);
  const type = value === undefined ? undefined : members.text(TYPE);
  return { value, type, own: present(own) };
}

/** Returns an object without the members that are undefined. */
export function present(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Returns the opaque data of a part; undefined where there is nothing to keep. */
export function stateOf({ value, type, own: beside }: Kept): Json | undefined {
  const hasOwn = Object.keys(beside).length > 0;
  if (value === undefined) return hasOwn ? { provider: OWN, data: beside } : undefined;
  const ours = type === undefined || type === OURS ? oursIn(value) : undefined;
  if (ours !== undefined) return hasOwn ? { provider: OWN, data: { ...beside, [STATE]: ours } } : ours;
  const data = { ...beside, [VALUE]: value };
  if (type === undefined) return { provider: OWN, data };
  return { provider: ownerOf(type), data: { ...data, [TYPE]: type } };
}

/** Returns what an entity says for opaque data, whoever wrote it. */
export function keptOf(opaque: unknown): Kept {
  if (!isObject(opaque)) return { own: {} };
  const provider = opaque["provider"];
  const data = opaque["data"] as Json;
  const [value, type] = [own(data, VALUE), own(data, TYPE)];
  if (typeof value === "string" && isOwner(provider, type)) {
    return { value, type: typeof type === "string" ? type : undefined, own: without(data, VALUE, TYPE) };
  }
  if (provider === OWN && !Object.hasOwn(data, VALUE)) {
    const state = own(data, STATE);
    const rest = without(data, STATE);
    return isOpaque(state) ? { value: textOf(state), type: OURS, own: rest } : { own: rest };
  }
  return { value: textOf(opaque), type: OURS, own: {} };
}

/** Returns opaque data as the text by which it is known again. */
export function textOf({ provider, data }: Json): string {
  return jsonText({ provider, data });
}

function without(data: Json, ...names: readonly string[]): Json {
  const made = { ...data };
  for (const name of names) delete made[name];
  return made;
}

function isOwner(provider: unknown, type: unknown): boolean {
  if (type === undefined || type === null) return provider === OWN;
  return typeof type === "string" && type !== OURS && provider === ownerOf(type);
}

const ownerOf = (type: string): string => type.split(".", 1)[0] || OWN;

/** Returns the opaque data that a value is the text of; undefined for any other value. */
function oursIn(value: string): Json | undefined {
  if (!value.startsWith('{"provider":')) return undefined;
  try {
    const found = decodeJson(value);
    return isOpaque(found) && !isNested(found, MOST_LEVELS) ? found : undefined;
  } catch (error) {
    if (error instanceof PartwireError) return undefined;
    throw error;
  }
}

function isOpaque(value: unknown): value is Json {
  if (!isObject(value) || Object.keys(value).length !== 2) return false;
  const provider = own(value, "provider");
  return typeof provider === "string" && provider !== "" && isObject(own(value, "data"));
}

// --- ids of reasoning -----------------------------------------------------------------------------

/** Returns the id of a message's reasoning, the first of which has number 1. */
export function derivedId(messageId: string, number: number): string {
  return number === 1 ? `${messageId}${SUFFIX}` : `${messageId}${SUFFIX}-${number}`;
}

/** Returns the id of the message that an id of reasoning was derived of, else the id itself. */
export function stemOf(reasoningId: string): string {
  const at = reasoningId.lastIndexOf(SUFFIX);
  const isDerived = at > 0 && /^(?:-\p{Nd}+)?$/u.test(reasoningId.slice(at + SUFFIX.length));
  return isDerived ? reasoningId.slice(0, at) : reasoningId;
}

/** Tells whether an id says nothing that the message's own does not. */
export function isDerived(reasoningId: string, messageId: string | undefined, number: number): boolean {
  return messageId !== undefined && reasoningId === derivedId(messageId, number);
}

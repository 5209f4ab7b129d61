/** Which format a document has, as far as it shows: what is looked for is a table. */
import {
  ENTRIES,
  FORMATS,
  type FormatSign,
  MODES,
  MOST,
  OPENED,
  SIGNS,
  type Where,
  WORDS,
} from "../generated/tables/format-signs.js";
import { escapePointer } from "../json/text.js";
import { isObject, own } from "../json/values.js";

/** A format that a document may have, and the place that shows it; "" where nothing but the general shape does. */
export interface Sniffed {
  readonly format: string;
  readonly place: string;
}

type Members = Readonly<Record<string, unknown>>;
type Placed = readonly [place: string, members: Members];

const BLOCKS = ["content", "parts"];
const LISTS: Readonly<Record<string, readonly string[]>> = WORDS;
const SESSIONS: readonly string[] = FORMATS.filter((row) => row.isSession === true).map((row) => row.format);

/** Where an object is in a document → the signs that it may have. */
const SIGNS_OF: Readonly<Record<Where, readonly FormatSign[]>> = {
  document: SIGNS.filter(
    ({ where, format }) => where === "document" || (where === "entry" && SESSIONS.includes(format)),
  ),
  entry: signsOf("entry"),
  block: signsOf("block"),
  part: signsOf("block", "part"),
  untyped: signsOf("untyped"),
  inner: signsOf("inner"),
};

function signsOf(...places: Where[]): readonly FormatSign[] {
  return SIGNS.filter(({ where }) => places.includes(where));
}

/**
 * Returns the formats that a JSON value may have: one is sure, several are those that fit. None where no
 * known format looks like it; a document of the contract has none. A history of nothing but roles and texts
 * is never guessed: several formats have such.
 *
 * Formats that `read` does not know are found, too.
 */
export function sniff(document: unknown): Sniffed[] {
  if (isConversations(document)) return [{ format: "finetune", place: "/0/0/role" }];
  let found = new Map<string, string>();
  let isPlain = false;
  const shown = new Set<string>();
  for (const [where, place, members] of places(document)) {
    for (const sign of SIGNS_OF[where]) {
      if (found.has(sign.format) || !has(members, sign)) continue;
      found.set(sign.format, `${place}/${escapePointer(sign.member)}`);
    }
    const isMessage = where === "entry" && Object.hasOwn(members, "role") && Object.hasOwn(members, "content");
    isPlain ||= isMessage;
    if (isMessage || where === "document") for (const name of Object.keys(members)) shown.add(name);
  }
  const sessions = [...found].filter(([format]) => SESSIONS.includes(format));
  if (sessions.length > 0) found = new Map(sessions);
  for (const { format, unless } of FORMATS) {
    if (unless?.some((other) => found.has(other)) === true) found.delete(format);
  }
  if (found.size > 0 || !isPlain) return listed(found);
  const isRequest = isObject(document) && Object.hasOwn(document, "model");
  return FORMATS.filter(({ plain, plainBeside }) => {
    if (plain === "request") return true;
    return plain !== null && !isRequest && (plainBeside === null || shown.has(plainBeside));
  }).map(({ format }) => ({ format, place: "" }));
}

/** Returns the formats of which these are events of a stream, the first ones or all. */
export function sniffEvents(events: Iterable<unknown>): Sniffed[] {
  const found = new Map<string, string>();
  let number = 0;
  for (const event of events) {
    const place = `/${number++}`;
    if (isOfGraph(event) && !found.has("langchain")) found.set("langchain", `${place}/0`);
    if (!isObject(event)) continue;
    const member = Object.hasOwn(event, "type") ? "type" : "event";
    const kind = own(event, member);
    for (const { format, events: list } of FORMATS) {
      if (list !== null && isWord(kind, list) && !found.has(format)) found.set(format, `${place}/${member}`);
    }
  }
  return listed(found);
}

const listed = (found: ReadonlyMap<string, string>): Sniffed[] =>
  [...found].map(([format, place]) => ({ format, place }));

/** Tells whether it is a list of lists of messages, which only training data is. */
function isConversations(document: unknown): boolean {
  const first: unknown = Array.isArray(document) ? document[0] : undefined;
  const entry: unknown = Array.isArray(first) ? first[0] : undefined;
  return isObject(entry) && Object.hasOwn(entry, "role") && Object.hasOwn(entry, "content") && !isOurs(entry);
}

/** Tells whether it is what LangGraph yields in one of its modes. */
function isOfGraph(event: unknown): boolean {
  return Array.isArray(event) && event.length === 2 && typeof event[0] === "string" && MODES.includes(event[0]);
}

/** Tells whether it is a word of the list of this name. */
function isWord(value: unknown, list: string): boolean {
  return typeof value === "string" && LISTS[list]?.includes(value) === true;
}

function has(members: Members, { member, values, words, begins, isObject: mustBeObject, beside }: FormatSign): boolean {
  if (!Object.hasOwn(members, member)) return false;
  if (beside?.every((name) => Object.hasOwn(members, name)) === false) return false;
  const value = members[member];
  if (mustBeObject === true) return isObject(value);
  if (begins !== null) return typeof value === "string" && begins.some((start) => value.startsWith(start));
  if (words !== null) return isWord(value, words);
  return values === null || (typeof value === "string" && values.includes(value));
}

/** Yields the objects that may have signs: the document, its entries, their blocks. */
function* places(given: unknown): Generator<readonly [Where, ...Placed]> {
  let document = given;
  let place = "";
  let entries: Iterable<Placed> = [];
  // What is opened may have something to open.
  for (let times = 0; times < 3; times++) {
    if (!isObject(document)) {
      entries = objects(document, place);
      break;
    }
    const members: Members = document;
    if (isOurs(members)) return;
    yield ["document", place, members];
    const list = ENTRIES.find((name) => Array.isArray(own(members, name)));
    if (list !== undefined) {
      entries = objects(members[list], `${place}/${list}`);
      break;
    }
    entries = [[place, members]];
    const opened = OPENED.find((name) => isObject(own(members, name)));
    if (opened === undefined) break;
    place = `${place}/${opened}`;
    document = members[opened];
  }
  for (const [at, entry] of entries) {
    if (isOurs(entry)) continue;
    if (at !== "") yield ["entry", at, entry];
    yield* placesIn(at, entry);
  }
}

function* placesIn(at: string, entry: Members): Generator<readonly [Where, ...Placed]> {
  for (const name of BLOCKS) {
    for (const [place, block] of objects(own(entry, name), `${at}/${name}`)) {
      yield [name === "parts" ? "part" : "block", place, block];
      if (name === "content" && !Object.hasOwn(block, "type")) yield ["untyped", place, block];
      const source = own(block, "source");
      if (isObject(source)) yield ["inner", `${place}/source`, source];
    }
  }
  for (const [place, call] of objects(own(entry, "tool_calls"), `${at}/tool_calls`)) {
    const called = own(call, "function");
    if (isObject(called)) yield ["inner", `${place}/function`, called];
  }
}

/**
 * Tells whether it is meant to be a message, a part or a delta of the contract. A message without what only
 * ours has is one if its first part is.
 */
function isOurs(given: unknown): boolean {
  let value = given;
  for (let depth = 0; depth < MOST; depth++) {
    if (!isObject(value)) return false;
    if (!Object.hasOwn(value, "role")) return Object.hasOwn(value, "kind") && Object.hasOwn(value, "payload");
    const parts = own(value, "parts") ?? null;
    if (Object.hasOwn(value, "runId") || (parts !== null && Object.hasOwn(value, "timestamp"))) return true;
    value = Array.isArray(parts) ? parts[0] : undefined;
  }
  return false;
}

function* objects(value: unknown, place: string): Generator<Placed> {
  if (!Array.isArray(value)) return;
  for (const [number, each] of value.slice(0, MOST).entries()) {
    if (isObject(each)) yield [`${place}/${number}`, each];
  }
}

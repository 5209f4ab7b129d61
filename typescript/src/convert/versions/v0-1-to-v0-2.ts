/** The step between v0.1 and v0.2: up without loss, down with what v0.1 cannot say reported. */

import type { MediaPayload } from "../../generated/v0_2/message.js";
import { sameJson } from "../../json/equality.js";
import { codePoints } from "../../json/text.js";
import { isObject, own } from "../../json/values.js";
import {
  at,
  type Data,
  hasForm,
  indexOf,
  isCarrier,
  isText,
  liftState,
  OFFSET,
  otherText,
  type Part,
  readState,
  type State,
  shifted,
  stateToWire,
} from "./opaque-state.js";
import type { Hook, Hooks, Json, Walk } from "./walk.js";

// --- places of provider's state ------------------------------------------------------------------
// Provider state that is at another part than it belongs to, as late state of a stream does.

/** A part with the index that it had; a part that is new has the last one's. */
type Placed = readonly [number, Part];

interface Opaque extends Json {
  readonly provider: string;
  readonly data: Json;
}

/**
 * Returns parts of v0.2 with each item of state where it belongs, and which parts that changed.
 * `partOffset` of an item says how many parts further on that is; v0.1, which has all state in one
 * place, says it by the index. What belongs behind the last part of an assistant gets a separate part,
 * and a part that was there for such state alone is left out; other roles may have no such part, and
 * the item stays where it is.
 */
function settled(parts: readonly Part[], role: unknown): { parts: Placed[]; changed: number[] } {
  const places = new Map<number, Json[]>();
  const givers = new Map<number, string>(); // the provider of what a part is given
  const changed = new Set<number>();
  for (const [index, part] of parts.entries()) {
    for (const given of itemsOf(part)) {
      const target = targetOf(given, index, parts, role);
      const moved = target !== index;
      const { [OFFSET]: _, ...others } = given;
      const there = places.get(target);
      if (there === undefined) places.set(target, [moved ? others : given]);
      else there.push(moved ? others : given);
      if (!moved) continue;
      givers.set(target, opaqueOf(part)?.provider ?? "");
      changed.add(index).add(target);
    }
  }
  if (changed.size === 0) return { parts: [...parts.entries()], changed: [] };
  const end = parts.length - 1;
  const made = [...parts];
  if (changed.has(parts.length)) made.push({ kind: otherText(parts[end]), payload: { text: "" } });
  const kept = made.flatMap((part, index): Placed[] => {
    const before = Math.min(index, end);
    if (!changed.has(index)) return [[before, part]];
    const after = withItems(part, places.get(index) ?? [], givers.get(index) ?? "");
    return saysAnything(after) ? [[before, after]] : [];
  });
  return { parts: kept, changed: [...changed].filter((index) => index <= end).sort((one, other) => one - other) };
}

function opaqueOf(part: Part): Opaque | undefined {
  return isCarrier(part.kind) ? (own(part.payload, "opaque") as Opaque | undefined) : undefined;
}

function itemsOf(part: Part): readonly Json[] {
  const opaque = opaqueOf(part);
  return opaque !== undefined && hasForm(opaque.data, part.kind) ? (opaque.data.items ?? []) : [];
}

/** Returns the index of the part that an item belongs to; its own, where that cannot have it. */
function targetOf(item: Json, index: number, parts: readonly Part[], role: unknown): number {
  const offset = own(item, OFFSET);
  const target = Number.isSafeInteger(offset) ? index + (offset as number) : index;
  if (target === parts.length) return role === "assistant" ? target : index;
  const part = parts[target];
  if (part === undefined || !isCarrier(part.kind)) return index;
  const opaque = opaqueOf(part);
  if (opaque === undefined) return target;
  const provider = opaqueOf(parts[index] as Part)?.provider;
  return hasForm(opaque.data, part.kind) && opaque.provider === provider ? target : index;
}

/** Returns a part with other items of state. */
function withItems(part: Part, items: readonly Json[], provider: string): Part {
  const { opaque = { provider, data: {} }, ...payload } = part.payload as { opaque?: Opaque };
  const data = { ...opaque.data, items };
  if (items.length === 0 && Object.keys(data).length === 1) return { ...part, payload };
  return { ...part, payload: { ...payload, opaque: { ...opaque, data } } };
}

/** Tells whether a part says anything without the state that it gave away. */
function saysAnything({ kind, payload }: Part): boolean {
  return !isText(kind) || payload["text"] !== "" || Object.hasOwn(payload, "opaque");
}

// --- messages ------------------------------------------------------------------------------------
// A message of v0.2 as one of v0.1: parts, provider state and what is left out.

const FILES = new Set(["image", "file_ref", "media"]);

/** Returns a message as v0.1 has it; see the table of losses for what that changes. */
function downgradeMessage(walk: Walk, message: Json, pointer: string): Json {
  const given = message["parts"] as Part[];
  const parts = new Parts(walk, message["role"], given.length);
  const { parts: placed, changed } = settled(given, message["role"]);
  for (const index of changed) walk.log.note("opaque-moved", `${pointer}/parts/${index}`);
  for (const [index, part] of placed) parts.add(index, part, `${pointer}/parts/${index}`);
  parts.close();
  const made = walk.members({ ...message, parts: [] }, "Message", pointer);
  made["parts"] = parts.parts;
  const meta = made["meta"] as Json | undefined;
  const before = meta === undefined ? undefined : own(meta, "opaque");
  const opaque = parts.opaqueBeside(before, `${pointer}/meta/opaque`);
  if (opaque !== undefined) {
    if (parts.hasState && isEmpty(message["meta"])) walk.log.note("empty-meta", `${pointer}/meta`);
    made["meta"] = { ...meta, opaque };
  }
  noteLifted(walk, before, made, pointer);
  return made;
}

function isEmpty(meta: unknown): boolean {
  return isObject(meta) && Object.keys(meta).length === 0;
}

/** Says so where up again would take from `meta.opaque` what was there in v0.2. */
function noteLifted(walk: Walk, before: unknown, made: Json, pointer: string): void {
  if (before === undefined || walk.log.losses.some((loss) => loss.code === "opaque-in-meta")) return;
  const meta = liftState(made)["meta"] as Json | undefined;
  if (!sameJson(meta === undefined ? undefined : own(meta, "opaque"), before)) {
    walk.log.note("opaque-lifted", `${pointer}/meta/opaque`);
  }
}

/** A part that is there for its state alone, which waits for the part behind it. */
interface Waiting {
  readonly pointer: string;
  readonly kind: string;
  readonly items: readonly Json[];
}

/**
 * The parts of v0.1 as far as they are known, and the state that belongs to each. v0.1 has no part that
 * is there for its state alone, and joins text of one kind that only the end of a state parted.
 */
class Parts {
  readonly parts: Part[] = [];
  readonly #items = new Map<number, Json[]>();
  readonly #ids = new Map<string, string | null>();
  /** By index in v0.2: the index now, undefined where it is not a separate part. */
  readonly #moved: (number | undefined)[];
  readonly #walk: Walk;
  readonly #role: unknown;
  #dialect = "";
  /** The kind of the last part, where its state ended it. */
  #joinable = "";
  /** Code points of the last part's text, once others were joined to it. */
  #joinedSize: number | undefined;
  #waiting: Waiting[] = [];

  constructor(walk: Walk, role: unknown, count: number) {
    this.#walk = walk;
    this.#role = role;
    this.#moved = Array.from({ length: count }, () => undefined);
  }

  /** Whether a part has state. */
  get hasState(): boolean {
    return this.#items.size > 0 || this.#ids.size > 0;
  }

  /** Takes the next part of v0.2, which has or had this index there. */
  add(index: number, given: Part, pointer: string): void {
    const { kind } = given;
    if (this.#role === "assistant" && FILES.has(kind)) {
      this.#walk.log.note("assistant-part", pointer);
      return;
    }
    const hasState = isCarrier(kind) && Object.hasOwn(given.payload, "opaque");
    const data = hasState ? this.#stateOf(given, `${pointer}/payload/opaque`) : undefined;
    const part = this.#walk.walk(hasState ? withoutOpaque(given) : given, "MessagePart", pointer) as Part;
    const items = data?.items ?? [];
    // No part can have it, and up leaves it.
    if (items.some((item) => Object.hasOwn(item, OFFSET))) this.#walk.log.note("opaque-moved", pointer);
    if (isText(kind) && kind === this.#joinable) {
      this.#join(part, items, pointer);
    } else if (isText(kind) && data !== undefined && part.payload["text"] === "") {
      this.#waiting.push({ pointer, kind, items });
      return;
    } else {
      this.#moved[index] = this.parts.length;
      this.#append(part, items);
    }
    this.#joinable = data === undefined ? "" : kind;
    if (data?.toolCallId === undefined) return;
    this.#ids.set(part.payload["toolCallId"] as string, data.toolCallId);
    if (data.items === undefined) this.#walk.log.note("opaque-moved", pointer);
  }

  /** Returns the data of a part's state; undefined where v0.1 has no place for it. */
  #stateOf(part: Part, pointer: string): Data | undefined {
    const opaque = this.#walk.members(part.payload["opaque"] as Json, "Opaque", pointer);
    const { data, provider } = opaque as { data: Json; provider: string };
    if (!hasForm(data, part.kind)) {
      this.#walk.log.note("opaque-form", pointer);
      return undefined;
    }
    this.#dialect ||= provider;
    if (provider === this.#dialect) return data;
    this.#walk.log.note("opaque-provider", pointer);
    return undefined;
  }

  #append(part: Part, items: readonly Json[]): void {
    const before = this.#waiting.flatMap((each) => each.items.map((item) => at(item, 0, 0)));
    for (const { pointer } of this.#waiting) this.#walk.log.note("opaque-moved", pointer);
    this.#waiting = [];
    if (before.length > 0 || items.length > 0) this.#items.set(this.parts.length, [...before, ...items]);
    this.parts.push(part);
    this.#joinedSize = undefined;
  }

  #join(part: Part, items: readonly Json[], pointer: string): void {
    const index = this.parts.length - 1;
    const last = this.parts[index] as Part;
    const [text, more] = [last.payload["text"] as string, part.payload["text"] as string];
    let mine = this.#items.get(index) ?? [];
    if (this.#joinedSize === undefined) {
      const size = codePoints(text);
      mine = mine.map((item) => shifted(item, 0, size));
      this.#items.set(index, mine);
      this.#joinedSize = size;
    }
    const [first, size] = [this.#joinedSize, codePoints(more)];
    for (const item of items) mine.push(shifted(item, first, size));
    this.#joinedSize += size;
    this.parts[index] = { ...last, payload: { ...last.payload, text: text + more } };
    this.#walk.log.note("parts-joined", pointer);
  }

  /** Says that no more parts come: state that waits for one is behind the last. */
  close(): void {
    if (this.#waiting.length === 0) return;
    const placed = this.#waiting.flatMap((each) => each.items.map((item) => at(item, 0, 0)));
    this.#items.set(this.parts.length, placed);
    if (this.#comesBack(placed)) return;
    for (const { pointer } of this.#waiting) this.#walk.log.note("opaque-moved", pointer);
  }

  /** Tells whether up again makes the very part that the state behind the last one was. */
  #comesBack(placed: readonly Json[]): boolean {
    const [only, ...others] = this.#waiting;
    if (only === undefined || others.length > 0 || this.#role !== "assistant") return false;
    return only.kind === otherText(this.parts.at(-1)) && sameJson(placed, only.items);
  }

  /** Returns `meta.opaque`: the state of the parts, and what has been there, `given`. */
  opaqueBeside(given: unknown, pointer: string): unknown {
    if (given === undefined && !this.hasState) return undefined;
    const own = new Map<string, unknown>([...this.#items].map(([index, items]) => [String(index), items]));
    let left = readState(given);
    if (left === undefined || (this.hasState && left.dialect !== this.#dialect)) {
      if (!this.hasState) return given;
      if (given !== undefined) this.#walk.log.note("opaque-in-meta", pointer);
      left = { dialect: this.#dialect, parts: new Map(), ids: undefined };
    }
    for (const [key, items] of left.parts) {
      const moved = this.#newKey(key);
      if (moved === undefined || own.has(moved)) this.#walk.log.note("opaque-in-meta", pointer);
      else own.set(moved, items);
    }
    const ids = this.#idsBeside(left, pointer);
    return stateToWire({ dialect: left.dialect, parts: own, ids });
  }

  #idsBeside({ ids }: State, pointer: string): State["ids"] {
    if (this.#ids.size === 0) return ids;
    if ([...this.#ids.keys()].some((id) => ids?.has(id))) this.#walk.log.note("opaque-in-meta", pointer);
    return new Map([...(ids ?? []), ...this.#ids]);
  }

  /** Returns where a member of `parts` now is; undefined where its part is gone. */
  #newKey(key: string): string | undefined {
    const [index, count] = [indexOf(key), this.#moved.length];
    if (index === undefined || index > count) return key;
    if (index < count) return this.#moved[index]?.toString();
    return this.#moved.slice(0, -1).includes(undefined) ? String(this.parts.length) : key;
  }
}

function withoutOpaque(part: Part): Part {
  const { opaque: _, ...payload } = part.payload;
  return { ...part, payload };
}

// --- media ---------------------------------------------------------------------------------------
// Media of v0.2 as the images and files of v0.1.

/**
 * Returns a `media` part as `image` or `file_ref` part. What is in the document stays there: bytes of an
 * image are its `data`, other bytes become a `data:` URL as path. A URL, and the name of what is kept
 * apart, is a path too.
 */
function downgradeMedia(walk: Walk, part: Part, pointer: string): Part {
  const place = `${pointer}/payload`;
  const closed = walk.members(part.payload, "MediaPayload", place) as unknown as MediaPayload;
  const { mimeType, source, sizeBytes } = closed;
  const isImage = source.kind !== "ref" && mimeType.toLowerCase().startsWith("image/");
  walk.log.note(isImage ? "media-as-image" : "media-as-file", pointer);
  for (const name of ["name", "sizeBytes", "sha256"] as const) {
    if (closed[name] !== undefined && (isImage || name !== "sizeBytes")) {
      walk.log.note("media-detail", `${place}/${name}`);
    }
  }
  if (isImage) {
    const held: Json = source.kind === "inline" ? { data: source.data } : { url: source.url };
    return { kind: "image", payload: { mimeType, ...held } };
  }
  const size = sizeBytes === undefined ? {} : { size: sizeBytes };
  return { kind: "file_ref", payload: { path: pathOf(closed), mimeType, ...size } };
}

function pathOf({ mimeType, source }: MediaPayload): string {
  switch (source.kind) {
    case "inline":
      return `data:${mimeType};base64,${source.data}`;
    case "url":
      return source.url;
    case "ref":
      return source.ref;
  }
}

// --- the step ------------------------------------------------------------------------------------

export const OLD = "v0.1";
export const NEW = "v0.2";

/** The messages that declare their version, beside the envelope alone. */
export const QUEUE_MESSAGES = [
  "TaskEvent",
  "GetContextRequest",
  "PromptBlocksResponse",
  "ToolCallRequest",
  "ToolCallResponse",
  "ReportResultRequest",
  "EvaluationRequest",
  "EvaluationResponse",
  "RetryEvent",
];

/** What is done with a document on the way up, beside taking over its members. */
export type Lift = (document: Json) => Json;

function declaredUp(name?: string): Lift {
  const type = name === undefined ? {} : { message_type: name };
  return (message) => ({ ...message, schema_version: NEW, ...type });
}

function declaredDown(name: string): Hook {
  return (walk, message, pointer) => {
    // Here, nothing else shows the type.
    if (name !== "Envelope" || !Object.hasOwn(message, "message_type")) {
      return { ...walk.members(message, name, pointer), schema_version: OLD };
    }
    walk.log.note("message-type-lost", `${pointer}/message_type`);
    const { message_type: _, ...others } = message;
    return { ...walk.members(others, name, pointer), schema_version: OLD };
  };
}

function partDown(name: string): Hook {
  return (walk, part, pointer) =>
    part["kind"] === "media" ? downgradeMedia(walk, part as Part, pointer) : walk.variant(part, name, pointer);
}

/** By type. */
export const UP: Readonly<Record<string, Lift>> = {
  "message.Message": liftState,
  "envelope.Envelope": declaredUp(),
  ...Object.fromEntries(QUEUE_MESSAGES.map((name) => [`envelope.${name}`, declaredUp(name)])),
};

/** By family, what is done at a definition beside taking over its members. */
export const DOWN: Readonly<Record<string, Hooks>> = {
  message: {
    Message: downgradeMessage,
    MessagePart: partDown("MessagePart"),
    ToolResultContentPart: partDown("ToolResultContentPart"),
  },
  envelope: Object.fromEntries(["Envelope", ...QUEUE_MESSAGES].map((name) => [name, declaredDown(name)])),
};

/** Tells whether going down may change a document that v0.1 takes as it is. */
export function changes(family: string, value: unknown): boolean {
  if (family === "envelope") return true;
  const meta = isObject(value) ? own(value, "meta") : undefined;
  return isObject(meta) && Object.hasOwn(meta, "opaque");
}

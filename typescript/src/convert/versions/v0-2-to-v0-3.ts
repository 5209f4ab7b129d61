/**
 * The step between v0.2 and v0.3: up nothing changes but the declared version; down, what v0.2 has no
 * place for is left out and reported.
 */
import { KIND_CODES, type MigrationCode } from "../../generated/tables/losses.js";
import { DENIED_PLACEHOLDER } from "../../generated/tables/tool-states.js";
import { sameJson } from "../../json/equality.js";
import { isObject, own } from "../../json/values.js";
import { lossyError } from "./errors.js";
import { hasForm, OFFSET, type Part } from "./opaque-state.js";
import { type Lift, QUEUE_MESSAGES } from "./v0-1-to-v0-2.js";
import type { Hook, Hooks, Json, Walk } from "./walk.js";

export const OLD = "v0.2";
export const NEW = "v0.3";

/** Returns the loss of a part or delta of a kind that v0.2 does not know; undefined for others. */
export function codeOf(kind: unknown): MigrationCode | undefined {
  return typeof kind === "string" ? (KIND_CODES.get(kind) as MigrationCode | undefined) : undefined;
}

/** Returns a message without the parts that v0.2 does not know. */
function messageDown(walk: Walk, message: Json, pointer: string): Json {
  const given = message["parts"] as Part[];
  const places = new Map<number, number>();
  for (const [index, part] of given.entries()) {
    const code = codeOf(part.kind);
    if (code === undefined) places.set(index, places.size);
    else walk.log.note(code, `${pointer}/parts/${index}`);
  }
  const isSame = places.size === given.length;
  const ends = new Map([...places, [given.length, places.size]]);
  const made = walk.members({ ...message, parts: [] }, "Message", pointer);
  made["parts"] = [...places].map(([index, place]) => {
    const at = `${pointer}/parts/${index}`;
    const part = given[index] as Part;
    if (!isSame) walk.moved.set(`${pointer}/parts/${place}`, at);
    return walk.walk(isSame ? part : statePlaced(walk, part, index, ends, at), "MessagePart", at);
  });
  return made;
}

/**
 * Returns a part whose items of state say where the parts that they belong to are now. An item of a part
 * that is left out is left out, too.
 */
function statePlaced(walk: Walk, part: Part, index: number, places: Map<number, number>, pointer: string): Part {
  const { opaque, ...others } = isObject(part.payload) ? (part.payload as { opaque?: { data: Json } }) : {};
  if (opaque === undefined || !hasForm(opaque.data, part.kind)) return part;
  const end = Math.max(...places.keys());
  const given: readonly Json[] = opaque.data.items ?? [];
  const items = given.flatMap((item) => {
    const said = own(item, OFFSET);
    const offset = Number.isSafeInteger(said) ? (said as number) : 0;
    const target = index + offset;
    if (target < 0 || target > end) return [item];
    const place = places.get(target);
    if (place === undefined) return [];
    const moved = place - (places.get(index) as number);
    return [moved === offset ? item : { ...item, [OFFSET]: moved }];
  });
  if (sameJson(items, given)) return part;
  walk.log.note(items.length < given.length ? "opaque" : "opaque-moved", `${pointer}/payload/opaque`);
  const { items: _, ...rest } = opaque.data;
  const data = items.length > 0 ? { ...rest, items } : rest;
  return { ...part, payload: Object.keys(data).length > 0 ? { ...others, opaque: { ...opaque, data } } : others };
}

function variantDown(name: string): Hook {
  return (walk, value, pointer) => {
    const code = codeOf(value["kind"]);
    if (code === undefined) return walk.variant(value, name, pointer);
    walk.log.note(code, pointer);
    throw lossyError(walk.log.losses); // nothing is left that v0.2 could have
  };
}

const OLDER_STATES: Readonly<Record<string, string>> = { awaiting_approval: "pending", denied: "error" };

/** Returns the state of a call that waits for a person as one that is pending. */
function waitingDown(walk: Walk, state: Json, pointer: string): Json {
  walk.log.note("approval", `${pointer}/approval`);
  if (Object.hasOwn(state, "metadata")) walk.log.note("unknown-member", `${pointer}/metadata`);
  return { status: "pending", input: state["input"], raw: state["raw"] };
}

/** Returns the state of a denied call as an error, at the time of the decision. */
function deniedDown(walk: Walk, state: Json, pointer: string): Json {
  walk.log.note("approval", `${pointer}/approval`);
  const { time = {} } = state["approval"] as { time?: { requested?: number; decided?: number } };
  const decided = time.decided ?? time.requested ?? 0;
  const made = {
    status: "error",
    input: state["input"],
    error: state["error"] ?? DENIED_PLACEHOLDER,
    time: { start: decided, end: decided },
  };
  return Object.hasOwn(state, "metadata") ? { ...made, metadata: state["metadata"] } : made;
}

/** Returns what is said of a refused move, by the name that the state has in v0.2. */
function detailsDown(walk: Walk, details: Json, pointer: string): Json {
  const status = own(OLDER_STATES, details["currentStatus"] as string);
  if (status !== undefined) walk.log.note("approval", `${pointer}/currentStatus`);
  const told = status === undefined ? details : { ...details, currentStatus: status };
  return walk.members(told, "InvalidStateTransitionDetails", pointer);
}

const DECLARING = ["Envelope", ...QUEUE_MESSAGES];

/** By type. */
export const UP: Readonly<Record<string, Lift>> = Object.fromEntries(
  DECLARING.map((name) => [`envelope.${name}`, (message) => ({ ...message, schema_version: NEW })]),
);

function declaredDown(name: string): Hook {
  return (walk, message, pointer) => ({ ...walk.members(message, name, pointer), schema_version: OLD });
}

/** By family, what is done at a definition beside taking over its members. */
export const DOWN: Readonly<Record<string, Hooks>> = {
  message: {
    Message: messageDown,
    MessagePart: variantDown("MessagePart"),
    MessageDelta: variantDown("MessageDelta"),
  },
  session: {
    ToolStateAwaitingApproval: waitingDown,
    ToolStateDenied: deniedDown,
    InvalidStateTransitionDetails: detailsDown,
  },
  envelope: Object.fromEntries(DECLARING.map((name) => [name, declaredDown(name)])),
};

/** Tells whether going down may change a document that v0.2 takes as it is. */
export function changes(family: string): boolean {
  return family === "envelope";
}

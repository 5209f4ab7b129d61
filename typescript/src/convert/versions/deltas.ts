/** A stream of deltas of the current version, for readers of an older one. */
import { LATEST_VERSION } from "../../contract/current/index.js";
import type { MessageDelta, TolerantMessageDelta } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { ReadError } from "../../errors.js";
import { MIGRATION_LOSSES, type MigrationCode } from "../../generated/tables/losses.js";
import { VERSIONS, type Version } from "../../generated/versions.js";
import { sameJson } from "../../json/equality.js";
import { isObject, own } from "../../json/values.js";
import { type Loss, LossLog } from "../losses.js";
import { downgrade, type Migrated, type MigrateOptions } from "./migrate.js";
import { position } from "./steps.js";
import { StreamPlaces } from "./stream-places.js";
import * as first from "./v0-1-to-v0-2.js";
import * as second from "./v0-2-to-v0-3.js";
import type { Json } from "./walk.js";

const TYPE = "message.MessageDelta";
type KnownDelta = Exclude<TolerantMessageDelta, Unknown>;
/** The kinds whose time goes into the message. */
const TIMED = new Set<string>(["start", "done", "error"]);
const ANY_TIME = "1970-01-01T00:00:00Z";
const ONCE = new Set<string>(["message-id", "turn-id"]);

/**
 * Takes deltas one by one, and gives what an older reader is to get. A delta of a kind that the reader
 * does not know goes, and so does for v0.1 one that is there for provider state alone (its text is empty);
 * `seq` moves up by what went before it, so that the stream has no gap that it did not have. A delta that
 * comes again gives the same again.
 */
export class DeltaDowngrade {
  readonly to: Version;
  readonly #version: string;
  readonly #log = new LossLog<MigrationCode>(MIGRATION_LOSSES);
  readonly #once = new Set<string>();
  /** The seq of each delta that went, in order. */
  readonly #dropped: number[] = [];
  readonly #knowsState: boolean;
  readonly #knowsNew: boolean;
  readonly #places: StreamPlaces | undefined;
  #fed = 0;

  /** `version` is that of the deltas. Throws UsageError `usage/unknown-version`. */
  constructor(to: string = VERSIONS[0] as Version, version: string = LATEST_VERSION) {
    this.to = VERSIONS[position(to)] as Version;
    this.#version = version;
    this.#knowsState = position(to) >= position(first.NEW);
    this.#knowsNew = position(to) >= position(second.NEW);
    // v0.1 has no state at its parts, and what v0.3 has stays as it is.
    this.#places = this.#knowsState && !this.#knowsNew ? new StreamPlaces() : undefined;
  }

  /**
   * What was lost so far, in order: at most 100 losses of a code; ids of the message and turn, which are
   * on every delta, are reported once. A pointer counts the deltas as they were fed, as the items of an
   * array.
   */
  get losses(): readonly Loss[] {
    return this.#log.losses;
  }

  /** How many losses of each code are not in {@link losses}. */
  get leftOut(): ReadonlyMap<string, number> {
    return this.#log.leftOut;
  }

  /**
   * Returns what `delta` is for the older reader: one delta, or none. One of an unknown kind, read
   * tolerantly, keeps its content. Throws ReadError for what is not a delta; nothing has happened then.
   */
  feed(delta: TolerantMessageDelta): (MessageDelta | Unknown)[] {
    if (delta instanceof Unknown) {
      this.#fed++;
      return [this.#renumbered(delta)];
    }
    const code = this.#knowsNew ? undefined : second.codeOf(delta.kind);
    const options = { to: code === undefined ? this.to : this.#version, version: this.#version };
    const { value, losses } = downgraded(delta, options);
    for (const { code, pointer } of losses) {
      if (ONCE.has(code) && this.#once.has(code)) continue;
      this.#once.add(code);
      this.#log.note(code as MigrationCode, `/${this.#fed}${pointer}`);
    }
    if (code !== undefined) this.#log.note(code, `/${this.#fed}`);
    const { seq } = delta;
    const made = code === undefined ? this.#placed(delta, value as MessageDelta) : undefined;
    if (code !== undefined) this.#places?.begin(delta.kind, seq);
    this.#fed++;
    const before = this.#droppedBefore(seq);
    if (made === undefined || (!this.#knowsState && isStateAlone(delta))) {
      if (this.#dropped[before] !== seq) this.#dropped.splice(before, 0, seq);
      return [];
    }
    return [before === 0 ? made : { ...made, seq: seq - before }];
  }

  /** Returns a delta with its state where it belongs among the parts that the reader gets. */
  #placed(delta: KnownDelta, made: MessageDelta): MessageDelta {
    if (this.#places === undefined) return made;
    const { opaque, ...others } = made.payload as unknown as Json & { readonly opaque?: { readonly data: Json } };
    const data = this.#places.data(delta.kind, delta.seq, made.payload as unknown as Json, opaque?.data);
    if (opaque === undefined || sameJson(data, opaque.data)) return made;
    const isLost = data === undefined || count(data) < count(opaque.data);
    this.#log.note(isLost ? "opaque" : "opaque-moved", `/${this.#fed}/payload/opaque`);
    const payload = data === undefined ? others : { ...others, opaque: { ...opaque, data } };
    return { ...made, payload } as unknown as MessageDelta;
  }

  #renumbered(delta: Unknown): Unknown {
    const seq = isObject(delta.document) ? own(delta.document, "seq") : undefined;
    if (typeof seq !== "number" || !Number.isSafeInteger(seq)) return delta;
    const before = this.#droppedBefore(seq);
    return before === 0 ? delta : new Unknown(delta.tagField, delta.tag, { ...delta.document, seq: seq - before });
  }

  /** Returns how many of the deltas that went have a smaller seq. */
  #droppedBefore(seq: number): number {
    let [low, high] = [0, this.#dropped.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#dropped[middle] as number) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function count(data: Json): number {
  return (own(data, "items") as unknown[] | undefined)?.length ?? 0;
}

/**
 * Returns a delta as an older version has it. The form of its time is not looked at where it goes
 * nowhere: no reader of deltas does.
 */
function downgraded(delta: KnownDelta, options: MigrateOptions): Migrated {
  try {
    return downgrade(delta, TYPE, options);
  } catch (error) {
    const [first, ...others] = error instanceof ReadError ? error.findings : [];
    const isTime = first?.rule === "shape/pattern" && first.pointer === "/timestamp" && others.length === 0;
    if (!isTime || TIMED.has(delta.kind)) throw error;
    const made = downgrade({ ...delta, timestamp: ANY_TIME }, TYPE, options);
    return { ...made, value: { ...(made.value as MessageDelta), timestamp: delta.timestamp } };
  }
}

/** Tells whether a delta appends nothing and carries provider state. */
function isStateAlone({ payload }: { readonly payload: unknown }): boolean {
  const { opaque, textDelta, argsTextDelta } = payload as unknown as Json;
  return opaque !== undefined && (textDelta ?? argsTextDelta) === "";
}

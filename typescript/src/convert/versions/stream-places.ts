/** Where the parts of a stream are for a reader that does not get all of them. */
import { codePoints } from "../../json/text.js";
import { own } from "../../json/values.js";
import { type Data, hasForm, isText, OFFSET, shifted } from "./opaque-state.js";
import type { Json } from "./walk.js";

/** The kinds of deltas that begin a part which v0.2 does not have. */
const BEGIN = new Set(["server_tool_call_start", "server_tool_result", "approval_request", "media_start"]);

/** Where a part is for the reader, undefined if it is left out, and its characters there. */
interface Part {
  readonly place: number | undefined;
  readonly start: number;
  readonly size: number;
}

const GONE: Part = { place: undefined, start: 0, size: 0 };

/**
 * The parts that have begun, as the assembler counts them, and as the reader's does. State says by
 * `partOffset` to which part it belongs, and by `start` and `end` to which characters: both change where
 * parts go, as text on both sides of one is one for the reader.
 */
export class StreamPlaces {
  readonly #parts: Part[] = [];
  readonly #calls = new Map<unknown, number>();
  /** The kind of text that can be joined. */
  #open = "";
  /** How many parts the reader has. */
  #count = 0;
  #readerOpen = "";
  #isSame = true;
  #lastSeq = -1;
  readonly #given = new Map<number, Json | undefined>();

  /** Takes a delta that the reader does not get. */
  begin(kind: string, seq: number): void {
    if (BEGIN.has(kind) && seq > this.#lastSeq) {
      this.#parts.push(GONE);
      this.#open = "";
      this.#isSame = false;
    }
    this.#lastSeq = Math.max(this.#lastSeq, seq);
  }

  /**
   * Takes a delta that the reader gets; returns the data of its state as the reader gets it, undefined
   * where no state is left. A delta that comes again gives the same again.
   */
  data(kind: string, seq: number, payload: Json, data: Json | undefined): Json | undefined {
    if (seq <= this.#lastSeq) return this.#given.has(seq) ? this.#given.get(seq) : data;
    this.#lastSeq = seq;
    const index = isText(kind)
      ? this.#text(kind, payload["textDelta"] as string, data)
      : this.#call(kind, own(payload, "toolCallId"));
    let made = data;
    if (data !== undefined && index !== undefined && !this.#isSame) {
      if (hasForm(data, isText(kind) ? kind : "tool_call")) made = this.#moved(data, index);
      this.#given.set(seq, made);
    }
    if (isText(kind) && made !== undefined) this.#readerOpen = "";
    return made;
  }

  #text(kind: string, text: string, data: Json | undefined): number | undefined {
    if (text === "" && data === undefined) return undefined;
    if (this.#open !== kind) {
      if (this.#readerOpen === kind) {
        const last = this.#parts.filter((each) => each.place !== undefined).at(-1) as Part;
        this.#parts.push({ place: last.place, start: last.start + last.size, size: 0 });
      } else {
        this.#parts.push({ place: this.#count++, start: 0, size: 0 });
      }
    }
    const index = this.#parts.length - 1;
    const mine = this.#parts[index] as Part;
    this.#parts[index] = { ...mine, size: mine.size + codePoints(text) };
    this.#open = data === undefined ? kind : "";
    this.#readerOpen = kind;
    return index;
  }

  #call(kind: string, id: unknown): number | undefined {
    if (kind === "tool_call_start") {
      this.#calls.set(id, this.#parts.length);
      this.#parts.push({ place: this.#count++, start: 0, size: 0 });
      this.#open = "";
      this.#readerOpen = "";
    }
    return this.#calls.get(id);
  }

  /**
   * Returns the data of the state of a part with its items where they belong now. An item of a part that
   * is left out is left out, and so is one of a part that has not begun and may be.
   */
  #moved(data: Data, index: number): Json | undefined {
    const items = (data.items ?? []).flatMap((item) => this.#movedItem(item, index));
    const { items: _, ...others } = data;
    if (items.length > 0) return { ...others, items };
    return Object.keys(others).length > 0 ? others : undefined;
  }

  #movedItem(item: Json, index: number): Json[] {
    const offset = own(item, OFFSET);
    const target = index + (Number.isSafeInteger(offset) ? (offset as number) : 0);
    if (target < 0) return [item];
    const part = this.#parts[target] ?? this.#next(target);
    if (part.place === undefined) return [];
    const { [OFFSET]: _, ...made } = part.start > 0 ? shifted(item, part.start, part.size) : item;
    const moved = part.place - ((this.#parts[index] as Part).place ?? 0);
    return [moved === 0 ? made : { ...made, [OFFSET]: moved }];
  }

  /** Returns where the part will be that comes next; nobody knows of those behind it. */
  #next(target: number): Part {
    const joins = this.#readerOpen !== "" && this.#parts.at(-1)?.place === undefined;
    return target > this.#parts.length || joins ? GONE : { place: this.#count, start: 0, size: 0 };
  }
}

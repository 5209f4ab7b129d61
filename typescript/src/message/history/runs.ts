/** What a history checker keeps of a run: open calls, early results, and which turn it is. */

/** A part of a history, by index of message and part; `line` is the message's, in a file. */
export interface Place {
  readonly message: number;
  readonly part: number;
  readonly line?: number;
}

/** Returns the pointer to the tool call id of a part. */
export function pointerTo(place: Place): string {
  return `/${place.message}/parts/${place.part}/payload/toolCallId`;
}

/** Returns findings or changes by message and part; what is about a whole message comes first. */
export function byPosition<T extends { readonly pointer: string }>(found: readonly T[]): T[] {
  const rows = found.map((each) => ({ each, at: position(each.pointer) }));
  rows.sort(({ at: one }, { at: other }) => one[0] - other[0] || one[1] - other[1]);
  return rows.map(({ each }) => each);
}

/** Compares two places: less than 0 where `one` is before `other`. */
export function stands(one: Place, other: Place): number {
  return one.message - other.message || one.part - other.part;
}

function position(pointer: string): [number, number] {
  const [, message, parts, part] = pointer.split("/");
  return [Number(message), parts === "parts" && part !== undefined ? Number(part) : -1];
}

/**
 * Counts the turns of one run. A turn begins where the user speaks, or the assistant after anybody
 * else. The tool speaks with results of the turn's own calls alone, so that one stray result makes
 * no other one late; the system does not count.
 */
export class Turns {
  now = 0;
  speaker = "";

  /** Notes what a message of `role` says; results are for {@link hearResult}. */
  hear(role: string): void {
    if ((role === "user" || role === "assistant") && role !== this.speaker) {
      this.now++;
      this.speaker = role;
    }
  }

  /** Notes a result of a call of this turn. */
  hearResult(): void {
    this.speaker = "tool";
  }
}

interface Waiting {
  readonly place: Place;
  readonly turn: number;
  readonly hasEarlyResult: boolean;
}

/** One run while it has open calls or early results. */
export class RunState extends Turns {
  readonly #calls = new Map<string, Waiting>();
  readonly #early = new Map<string, Place[]>();
  #answered: Place | undefined; // the last of the answered calls, by place

  get isSettled(): boolean {
    return this.#calls.size === 0 && this.#early.size === 0;
  }

  /** Returns where the open call of this id is. */
  placeOf(id: string): Place | undefined {
    return this.#calls.get(id)?.place;
  }

  /** Opens a call; returns where results are that came before it. */
  openCall(id: string, place: Place): Place[] {
    const early = this.#early.get(id) ?? [];
    this.#early.delete(id);
    this.#calls.set(id, { place, turn: this.now, hasEarlyResult: early.length > 0 });
    return early;
  }

  /** Closes the open call of this id; undefined if there is none. */
  answer(id: string): "in time" | "out of order" | "late" | undefined {
    const call = this.#calls.get(id);
    if (call === undefined) return undefined;
    this.#calls.delete(id);
    if (call.turn !== this.now) return "late";
    this.hearResult();
    if (this.#answered !== undefined && stands(call.place, this.#answered) < 0) return "out of order";
    this.#answered = call.place;
    return "in time";
  }

  /** Keeps a result whose call may still come. */
  hold(id: string, place: Place): void {
    const places = this.#early.get(id);
    if (places === undefined) this.#early.set(id, [place]);
    else places.push(place);
  }

  /** Returns id and place of the results whose call has not come. */
  earlyResults(): [string, Place][] {
    return [...this.#early].flatMap(([id, places]) => places.map((place): [string, Place] => [id, place]));
  }

  /** Returns id and place of the open calls; with `ongoing`, of those passed over. */
  unanswered(ongoing: boolean): [string, Place][] {
    return [...this.#calls]
      .filter(([, call]) => !call.hasEarlyResult && !(ongoing && call.turn === this.now))
      .map(([id, call]): [string, Place] => [id, call.place]);
  }
}

/** The keys that were added last: at least `size`, at most twice that; all if `size` is null. */
export class RecentKeys {
  #recent = new Set<string>();
  #older = new Set<string>();

  constructor(readonly size: number | null) {}

  clear(): void {
    this.#recent = new Set();
    this.#older = new Set();
  }

  add(key: string): void {
    this.#recent.add(key);
    if (this.#recent.size === this.size) {
      // Two generations: forgetting one by one would need the order of all.
      this.#older = this.#recent;
      this.#recent = new Set();
    }
  }

  has(key: string): boolean {
    return this.#recent.has(key) || this.#older.has(key);
  }
}

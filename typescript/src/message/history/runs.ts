/** What a history checker keeps of a run: open calls and requests, early results, the turn. */

/** A part of a history, by index of message and part; `line` is the message's, in a file. */
export interface Place {
  readonly message: number;
  readonly part: number;
  readonly line?: number;
}

/** Returns the pointer to a member of a part, by default to its tool call id. */
export function pointerTo(place: Place, member = "/payload/toolCallId"): string {
  return `/${place.message}/parts/${place.part}${member}`;
}

/** What a call and its result have in common; no result answers a call of the other kind. */
export interface CallKey {
  readonly id: string;
  readonly isServer: boolean;
}

/** Returns a key for maps. */
export function slotOf(key: CallKey): string {
  return `${key.isServer ? "server" : "client"}:${key.id}`;
}

/** Returns a key for maps: an id of a run. */
export function keyOf(runId: string, id: string): string {
  return `${runId.length}:${runId}${id}`;
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
 * no other one late; the system does not count, nor do approvals and results of the provider.
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

/** A request for approval: the call that it is about, and the ids of the choices that it offers. */
export interface Request {
  readonly key: CallKey;
  readonly choices: readonly string[];
}

interface Waiting {
  readonly key: CallKey;
  readonly place: Place;
  readonly turn: number;
  readonly hasEarlyResult: boolean;
}

interface Early {
  readonly id: string;
  readonly places: Place[];
}

/** One run while it has open calls or requests, or early results. */
export class RunState extends Turns {
  readonly #calls = new Map<string, Waiting>();
  readonly #early = new Map<string, Early>();
  #answered: Place | undefined; // the last of the answered calls, by place
  readonly #requests = new Map<string, Request>(); // approvals that are asked for
  readonly #unapproved = new Map<string, Set<string>>(); // those that an open call waits for

  get isSettled(): boolean {
    return this.#calls.size === 0 && this.#early.size === 0 && this.#requests.size === 0;
  }

  /** Returns the last open call of this id, of either kind. */
  openOf(id: string): { readonly key: CallKey; readonly place: Place } | undefined {
    const [one, other] = [false, true].map((isServer) => this.#calls.get(slotOf({ id, isServer })));
    return one === undefined || (other !== undefined && stands(one.place, other.place) < 0) ? other : one;
  }

  isOpen(key: CallKey): boolean {
    return this.#calls.has(slotOf(key));
  }

  /** Opens a call; returns where results are that came before it. */
  openCall(key: CallKey, place: Place): Place[] {
    const slot = slotOf(key);
    const early = this.#early.get(slot)?.places ?? [];
    this.#early.delete(slot);
    this.#calls.set(slot, { key, place, turn: this.now, hasEarlyResult: early.length > 0 });
    return early;
  }

  /** Closes the open call of this key; undefined if there is none. */
  answer(key: CallKey): "in time" | "out of order" | "late" | undefined {
    const slot = slotOf(key);
    const call = this.#calls.get(slot);
    if (call === undefined) return undefined;
    this.#calls.delete(slot);
    if (key.isServer) return "in time"; // the provider's results may come in any later message
    if (call.turn !== this.now) return "late";
    this.hearResult();
    if (this.#answered !== undefined && stands(call.place, this.#answered) < 0) return "out of order";
    this.#answered = call.place;
    return "in time";
  }

  /** Keeps a result whose call may still come. */
  hold(key: CallKey, place: Place): void {
    const slot = slotOf(key);
    const early = this.#early.get(slot);
    if (early === undefined) this.#early.set(slot, { id: key.id, places: [place] });
    else early.places.push(place);
  }

  /** Returns id and place of the results whose call has not come. */
  earlyResults(): [string, Place][] {
    return [...this.#early.values()].flatMap(({ id, places }) => places.map((place): [string, Place] => [id, place]));
  }

  /** Returns key and place of the open calls; with `ongoing`, of those passed over. */
  unanswered(ongoing: boolean): [CallKey, Place][] {
    return [...this.#calls.values()]
      .filter((call) => !call.hasEarlyResult && !(ongoing && call.turn === this.now))
      .map((call): [CallKey, Place] => [call.key, call.place]);
  }

  /** Notes a request for the approval of a call. */
  ask(approvalId: string, request: Request): void {
    this.#requests.set(approvalId, request);
    const slot = slotOf(request.key);
    if (!this.#calls.has(slot)) return;
    const waiting = this.#unapproved.get(slot);
    if (waiting === undefined) this.#unapproved.set(slot, new Set([approvalId]));
    else waiting.add(approvalId);
  }

  /** Returns the open request of this id. */
  asked(approvalId: string): Request | undefined {
    return this.#requests.get(approvalId);
  }

  /** Closes an open request. */
  decide(approvalId: string, isApproved: boolean): void {
    const request = this.#requests.get(approvalId);
    this.#requests.delete(approvalId);
    if (request !== undefined && isApproved) this.#unapproved.get(slotOf(request.key))?.delete(approvalId);
  }

  /** Tells whether a call that is answered now waited for an approval. */
  takeUnapproved(key: CallKey): boolean {
    const slot = slotOf(key);
    const waiting = this.#unapproved.get(slot);
    this.#unapproved.delete(slot);
    return waiting !== undefined && waiting.size > 0;
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

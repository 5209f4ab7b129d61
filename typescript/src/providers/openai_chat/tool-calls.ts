/**
 * Tool calls of chat completion chunks: which piece belongs to which call.
 *
 * The published rule: `index` distinguishes the calls, id and name come with the first piece only.
 * What vendors make of it, and how it is read here (null, `""` and absent are one):
 *
 * - No index: the id decides; with neither, a piece with a name opens a call and one without
 *   continues the last.
 * - A new id on a taken index is a new call; both stay open, the older one is found by its id. A
 *   new id without a name is the same call: some servers make up an id per chunk.
 * - A known id belongs to its call whatever the index, unless it comes with another name, or with
 *   a name at a new index: then it is another call, and gets a separate id.
 * - Name before arguments, after them, or never: a call starts once its name is known; what came
 *   before is held back. One that never gets a name is left out, with a finding.
 * - A name may come in pieces, too: until a call has arguments, another name on its index in a later
 *   chunk goes on with the first one, or is all of it if it begins with the first one. So a call
 *   starts once it has arguments, or something else comes.
 * - Arguments as growing wholes instead of pieces are taken apart (see `arguments.ts`).
 *
 * No call ends before the stream does: the format has no mark for it, and arguments that happen to
 * be valid JSON may still go on.
 */
import { isObject } from "../../json/values.js";
import { decodeEvent } from "../core/event-json.js";
import { type FindingLog, shown, shownAt } from "../core/findings.js";
import { integerAt, jsonTextAt } from "../core/spelling.js";
import { type Members, member, saidMember, withoutIndent } from "../core/values.js";
import type { DeltaWriter, OpenCall } from "../core/writer.js";

// --- argument text -------------------------------------------------------------------------------
// Argument text that comes piece by piece, or as a whole that grows with every chunk.
//
// A few servers repeat in each chunk all arguments so far; adding those up gives `{..}{..}{..}`.
// What distinguishes the two is never that a piece is JSON on its own ("{}" may be inside a
// string), only that chunks extend all that came before: twice in a row, or once where the text
// ends there and the last chunk is a whole object. Until that is clear nothing is written that
// could not be taken for either.

/** `held`: one piece is written, and others, each of which begins with all before it, are held back. */
type State = "open" | "one" | "held" | "plain" | "cumulative";

/** The argument text of one call. */
class ArgumentPieces {
  #state: State = "open";
  #whole = ""; // first piece, then, if cumulative, all that has been written
  #held: string[] = [];
  #growths = 0;

  /** Whether each chunk repeats all before it, for certain. */
  get cumulative(): boolean {
    return this.#state === "cumulative";
  }

  /** Takes the text of one chunk, not empty; returns what may be written of it, in order. */
  add(text: string): string[] {
    switch (this.#state) {
      case "plain":
        return [text];
      case "open":
        // Only text that opens an object can be distinguished later.
        this.#state = withoutIndent(text).startsWith("{") ? "one" : "plain";
        this.#whole = text;
        return [text];
      case "cumulative":
        return this.#grow(text);
      default:
        return this.#hold(text);
    }
  }

  #hold(text: string): string[] {
    const before = this.#held.at(-1) ?? this.#whole;
    if (!text.startsWith(before)) return this.#giveUp(text);
    this.#held.push(text);
    this.#state = "held";
    if (text.length > before.length) this.#growths++;
    if (this.#growths < 2) return [];
    this.#state = "cumulative";
    this.#held = [];
    return this.#grow(text);
  }

  /** Returns what is still held back now that the text has ended, and if it was cumulative. */
  rest(): { readonly pieces: readonly string[]; readonly cumulative: boolean } {
    const held = this.#held;
    const last = held.at(-1);
    if (last === undefined) return { pieces: [], cumulative: false };
    this.#held = [];
    this.#state = "plain";
    // As pieces an object would begin with a part of one: the two readings cannot both be JSON.
    if (!isObject(decodeEvent(last))) return { pieces: held, cumulative: false };
    return { pieces: this.#tail(last), cumulative: true };
  }

  #grow(text: string): string[] {
    if (!text.startsWith(this.#whole)) {
      return this.#whole.startsWith(text) ? [] : this.#giveUp(text); // an older whole again
    }
    const tail = this.#tail(text);
    this.#whole = text;
    return tail;
  }

  #tail(text: string): string[] {
    return text.length > this.#whole.length ? [text.slice(this.#whole.length)] : [];
  }

  #giveUp(text: string): string[] {
    const held = this.#held;
    this.#held = [];
    this.#state = "plain";
    this.#whole = "";
    return [...held, text];
  }
}

// --- tool calls ----------------------------------------------------------------------------------

const PLACE = "/choices/0/delta/tool_calls";
const LEGACY = "function_call";

/** One call as far as it is known. */
class Call {
  call: OpenCall | undefined;
  readonly pieces = new ArgumentPieces();
  held: string[] = []; // arguments that came before the call could start
  namedAt = -1; // number of the chunk that brought the name, or its first piece
  chunk = -1; // number of the chunk that brought its last piece
  extra: unknown; // what Google's own endpoint wants back with the call

  constructor(
    public providerId: string | undefined,
    public name: string | undefined,
  ) {}
}

/** What a piece says of the call that it belongs to. */
interface Piece {
  readonly index: number | undefined;
  readonly providerId: string | undefined;
  readonly name: string | undefined;
}

/** The tool calls of one stream. */
export class ChatToolCalls {
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number | typeof LEGACY, Call>();
  readonly #byId = new Map<string, Call>();
  #last: Call | undefined;
  #collided: Call | undefined; // opened on the index of another call
  #waiting: Call | undefined; // has a name that may go on

  constructor(writer: DeltaWriter, log: FindingLog) {
    this.#writer = writer;
    this.#log = log;
  }

  /** Reads the `tool_calls` of one chunk. */
  read(given: unknown): void {
    if (!Array.isArray(given)) this.#invalid("", "an array", given);
    const entries: unknown[] = Array.isArray(given) ? given : isObject(given) ? [given] : [];
    for (const [number, entry] of entries.entries()) {
      if (isObject(entry)) this.#readEntry(entry);
      else this.#invalid(`/${number}`, "an object", entry);
    }
  }

  /** Reads a `function_call`: the one call of the older format, without an id. */
  readLegacy(given: unknown): void {
    if (!isObject(given)) return this.#invalid("", "an object", given);
    const name = this.#text(given, "name");
    let call = this.#byIndex.get(LEGACY);
    if (call === undefined) this.#byIndex.set(LEGACY, (call = this.#new(undefined, name)));
    this.#add(call, name, given);
  }

  /** Whether a call waits for more of its name. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Starts the call that is waiting: no more of its name comes. */
  settle(): void {
    const call = this.#waiting;
    this.#waiting = undefined;
    if (call?.name === undefined) return;
    const { event } = this.#log;
    this.#log.event = call.namedAt;
    call.call = this.#writer.openCall(call.providerId, call.name);
    this.#log.event = event;
    for (const held of call.held) this.#write(call.call, call.pieces, held);
    call.held = [];
  }

  /** Writes what is held back; says which calls never got a name. */
  finish(): void {
    this.settle();
    for (const call of this.#calls) {
      if (call.call === undefined) this.#leaveOut(call);
      else this.#finishCall(call, call.call);
    }
  }

  #finishCall({ extra, pieces }: Call, call: OpenCall): void {
    if (extra !== undefined) this.#writer.keepWith(call, "extra_content", extra);
    const rest = pieces.rest();
    if (rest.cumulative) this.#noteCumulative();
    for (const piece of rest.pieces) this.#writer.args(call, piece);
  }

  #leaveOut({ providerId, held }: Call): void {
    const message = "A tool call without a name cannot be called; it is left out of the message";
    const said = { expected: "the tool's name", actual: shown(providerId) };
    this.#log.note("adapter/unnamed-tool-call", message, PLACE, said);
    this.#writer.keep("unnamed_tool_call", { id: providerId ?? null, arguments: held.join("") });
  }

  // --- one piece --------------------------------------------------------------------------------

  #readEntry(entry: Members): void {
    const fields = this.#function(entry);
    const providerId = this.#text(entry, "id");
    const name = this.#text(fields, "name");
    const index = this.#index(entry);
    let call = this.#find({ index, providerId, name });
    if (call === undefined) {
      call = this.#new(providerId, name);
      if (index !== undefined && this.#byIndex.has(index)) this.#collided = call;
    }
    if (index !== undefined) this.#byIndex.set(index, call);
    if (providerId !== undefined) {
      call.providerId ??= providerId;
      this.#byId.set(call.providerId, call);
    }
    call.extra = saidMember(entry, "extra_content") ?? call.extra;
    this.#add(call, name, fields);
  }

  /** Returns what has the name and the arguments of a call. */
  #function(entry: Members): Members {
    const { custom, function: given } = entry;
    if (isObject(given)) return given;
    if (isObject(custom)) {
      const message = "The input of a custom tool is text, not JSON; it stands as raw arguments";
      this.#log.note("adapter/unsupported-content", message, PLACE);
      return { name: custom["name"], arguments: custom["input"] };
    }
    if (given !== undefined && given !== null) this.#invalid("/function", "an object", given);
    return entry; // some servers leave the layer out
  }

  /** Returns the call that a piece continues, undefined if it opens one. */
  #find(piece: Piece): Call | undefined {
    const { index, providerId, name } = piece;
    const atIndex = index === undefined ? undefined : this.#byIndex.get(index);
    if (providerId !== undefined) {
      // Of two calls with one id, the one at this index.
      const known = atIndex?.providerId === providerId ? atIndex : this.#byId.get(providerId);
      if (known !== undefined) return this.#isAnother(known, atIndex, piece) ? undefined : known;
    }
    if (atIndex !== undefined) return this.#isNext(atIndex, piece) ? undefined : atIndex;
    if (providerId !== undefined || name !== undefined) return undefined;
    if (index === undefined || this.#last === undefined) return this.#last;
    // The head of a call on a taken index, its arguments on the next one.
    return this.#collided === this.#last ? this.#collided : undefined;
  }

  /** Tells whether a piece with the id of a known call belongs to another. */
  #isAnother(known: Call, atIndex: Call | undefined, { index, name }: Piece): boolean {
    if (name === undefined) return false;
    if (known.name !== undefined && name !== known.name) return known !== atIndex || !this.#takesMore(known);
    if (index === undefined) return known.chunk === this.#log.event; // twice in one chunk
    return atIndex !== known && known.name !== undefined;
  }

  /** Tells whether a piece at the index of a call begins another. */
  #isNext(call: Call, { providerId, name }: Piece): boolean {
    if (providerId !== undefined && call.providerId !== undefined) {
      if (name !== undefined) return true;
      this.#mismatch(call.providerId, providerId);
      return false;
    }
    return name !== undefined && call.name !== undefined && name !== call.name && !this.#takesMore(call);
  }

  /** Tells whether another name goes on with that of a call: it may be a piece. */
  #takesMore(call: Call): boolean {
    return call === this.#waiting && call.chunk !== this.#log.event;
  }

  #takeName(call: Call, name: string): void {
    const before = call.name ?? "";
    if (call !== this.#waiting) {
      this.#waiting = call;
      call.namedAt = this.#log.event;
      call.name = name;
    } else if (name !== before) {
      call.name = name.startsWith(before) ? name : before + name;
    }
  }

  #new(providerId: string | undefined, name: string | undefined): Call {
    const call = new Call(providerId, name);
    this.#calls.push(call);
    return call;
  }

  #add(call: Call, name: string | undefined, fields: Members): void {
    if (call !== this.#waiting) this.settle();
    if (name !== undefined && call.call === undefined) this.#takeName(call, name);
    this.#last = call;
    call.chunk = this.#log.event;
    const text = this.#argumentText(fields);
    if ((text !== undefined && text !== "") || call.held.length > 0) this.settle();
    if (text === undefined || text === "") return;
    if (call.call === undefined) call.held.push(text);
    else this.#write(call.call, call.pieces, text);
  }

  #write(call: OpenCall, pieces: ArgumentPieces, text: string): void {
    const before = pieces.cumulative;
    for (const piece of pieces.add(text)) this.#writer.args(call, piece);
    if (pieces.cumulative && !before) this.#noteCumulative();
  }

  // --- members ----------------------------------------------------------------------------------

  #index(entry: Members): number | undefined {
    const value = member(entry, "index");
    const index = integerAt(entry, "index");
    if (index !== undefined || value === undefined) return index;
    if (typeof value === "string" && /^[0-9]{1,9}$/.test(value)) return Number(value);
    this.#note("/index", "the call's number", shownAt(entry, "index"));
    return undefined;
  }

  #text(value: Members, name: string): string | undefined {
    const text = member(value, name);
    if (typeof text === "string") return text || undefined;
    if (text !== undefined) this.#note(`/${name}`, "a string", shownAt(value, name));
    return undefined;
  }

  /** Returns the text of arguments; those that came as a value are whole, so never cumulative. */
  #argumentText(fields: Members): string | undefined {
    const given = member(fields, "arguments");
    if (typeof given === "string" || given === undefined) return given;
    this.#note("/function/arguments", "JSON text in a string", shownAt(fields, "arguments"));
    return jsonTextAt(fields, "arguments");
  }

  // --- findings ---------------------------------------------------------------------------------

  #invalid(place: string, expected: string, actual: unknown): void {
    this.#note(place, expected, shown(actual));
  }

  #note(place: string, expected: string, actual: string): void {
    const message = "A tool call does not have the form that the provider publishes";
    this.#log.note("adapter/invalid-event", message, PLACE + place, { expected, actual });
  }

  #mismatch(first: string, other: string): void {
    const message = "A piece of a tool call has another id than its first piece; the first one counts";
    this.#log.note("adapter/tool-call-mismatch", message, `${PLACE}/id`, {
      expected: shown(first),
      actual: shown(other),
    });
  }

  #noteCumulative(): void {
    const message = "The arguments come as growing wholes, not as pieces; each whole is taken apart";
    this.#log.note("adapter/cumulative-arguments", message, `${PLACE}/function/arguments`, { expected: "pieces" });
  }
}

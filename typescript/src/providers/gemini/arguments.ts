/**
 * Function arguments that Gemini streams by path: pieces of values → pieces of JSON text.
 *
 * A piece says where it belongs (`$.stops[0].name`) and what is there; a string may come in many.
 * The text is written as the pieces come, which works as long as they come in the order of the
 * text. A member that is touched again after its text has been closed is written a second time, as
 * a whole, at the end: of equal keys the last one counts. What cannot be placed leaves the text
 * without its end, so that nobody takes the arguments for complete.
 *
 * Source: https://ai.google.dev/api/caching#PartialArg, RFC 9535.
 */
import { codePoints } from "../../json/text.js";
import { isObject } from "../../json/values.js";
import { decodeEvent } from "../core/event-json.js";
import { asJsonText, memberNames, numberTextAt, quoted } from "../core/spelling.js";
import { type Members, member } from "../core/values.js";

// --- paths ---------------------------------------------------------------------------------------
// Paths of arguments that Gemini streams: `$.stops[0]["name"]` → its steps.

/** A member's name, or an item's index. */
type Step = string | number;

/** Steps below the root, which is an object. */
type Path = readonly [string, ...Step[]];

const MAX_DEPTH = 100;
const MAX_PATH = 4096;
const STEP = /\.(?!\*(?:[.[]|$))([^.[\]'"]+)|\[(\d{1,6})\]|\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/sy;

/** Returns the steps of a path, undefined if it is not a path, or too long or deep. */
export function parsePath(path: unknown): Path | undefined {
  if (typeof path !== "string" || !path.startsWith("$") || codePoints(path) > MAX_PATH) return undefined;
  const steps: Step[] = [];
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    if (found === null || steps.length === MAX_DEPTH) return undefined;
    const [, name, index, inQuotes] = found;
    const step = index !== undefined ? Number(index) : inQuotes === undefined ? name : unquoted(inQuotes);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return isPath(steps) ? steps : undefined;
}

function isPath(steps: readonly Step[]): steps is Path {
  return typeof steps[0] === "string";
}

/** Returns the name that a quoted step says. */
function unquoted(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const asJson = text.startsWith('"') ? inner : inner.replace(/\\.|"/gs, requoted);
  const name = decodeEvent(`"${asJson}"`);
  return typeof name === "string" ? name : undefined;
}

function requoted(piece: string): string {
  if (piece === '"') return '\\"';
  return piece === "\\'" ? "'" : piece;
}

// --- the tree ------------------------------------------------------------------------------------
// What streamed arguments have said so far, as a tree of values.

/** A string value that came in pieces, and may go on. */
class StringNode {
  constructor(public text: string) {}
}

/** Any other value without values inside, or a string that came whole: its JSON text. */
class Leaf {
  constructor(readonly json: string) {}
}

/** An object or array. */
type Branch = Map<string, Node> | Node[];
type Node = StringNode | Leaf | Map<string, Node> | Node[];

/** Returns the member or item of a value, undefined if it has none such. */
function childOf(place: Node | undefined, step: Step): Node | undefined {
  if (place instanceof Map) return typeof step === "string" ? place.get(step) : undefined;
  return Array.isArray(place) && typeof step === "number" ? place[step] : undefined;
}

/** Puts a member or the next item; returns whether the place can have such a one. */
function putChild(place: Node, step: Step, child: Node): boolean {
  if (place instanceof Map && typeof step === "string") {
    place.set(step, child);
    return true;
  }
  if (!Array.isArray(place) || typeof step !== "number" || step > place.length) return false;
  place[step] = child;
  return true;
}

/** Returns the container that a step leads into. */
function emptyFor(step: Step): Branch {
  return typeof step === "number" ? [] : new Map();
}

/** Returns a member or item that holds no values. */
function leafOf(holder: object, name: string): Leaf {
  const value = (holder as Members)[name];
  if (typeof value === "number") return new Leaf(numberTextAt(holder, name, value));
  return new Leaf(typeof value === "string" ? quoted(value) : String(value));
}

/** Returns a member or item that came as a whole. */
function nodeAt(holder: object, name: string): Node {
  const value = (holder as Members)[name];
  if (Array.isArray(value)) return value.map((_, index) => nodeAt(value, String(index)));
  if (!isObject(value)) return leafOf(holder, name);
  return new Map(memberNames(value).map((each) => [each, nodeAt(value, each)]));
}

/** Returns the JSON text of a value; halves of characters stay what they are. */
function textOf(node: Node): string {
  if (node instanceof StringNode) return quoted(node.text);
  if (node instanceof Leaf) return node.json;
  if (Array.isArray(node)) return `[${node.map(textOf).join(",")}]`;
  return `{${[...node].map(([name, child]) => `${quoted(name)}:${textOf(child)}`).join(",")}}`;
}

// --- arguments -----------------------------------------------------------------------------------

/** The arguments of one call. */
export class StreamedArguments {
  /** Says why they cannot be complete. */
  broken: string | undefined;
  /** Names a member that was complete in the text when more of it came. */
  again: string | undefined;
  /** Whether the text has a member. */
  begun = false;
  readonly #root = new Map<string, Node>();
  readonly #due = new Set<string>(); // members to be written whole, at the end
  readonly #open: Step[] = []; // path of the innermost container that the text is in
  readonly #closers: string[] = []; // brackets that close the containers of that path
  #quote: Path | undefined; // of the string whose last quote is still due

  /** Takes one piece; returns what it adds to the text. */
  add(piece: Members): string {
    const path = parsePath(piece["jsonPath"]);
    const value = valueIn(piece);
    const more = piece["willContinue"] === true;
    if (path === undefined) return this.refuse("a path that cannot be read");
    const place = this.#find(path);
    if (value === undefined) {
      if (!(place instanceof StringNode)) return this.refuse("a piece without a value");
      return this.#isOpen(path) && !more ? this.#endString() : "";
    }
    if (place instanceof StringNode && value instanceof StringNode) {
      place.text += value.text;
      return this.#isOpen(path) ? this.#pieceOfString(value.text, more) : this.#again(path);
    }
    if (place === undefined) return this.#write(path, value, more);
    if (!(place instanceof StringNode || place instanceof Leaf)) {
      return this.refuse("a value in place of an object or array");
    }
    this.#put(path, value);
    return this.#again(path);
  }

  /** Takes arguments that came as a whole after, or beside, pieces. */
  merge(given: Members): void {
    if (asJsonText(given) === undefined) {
      this.refuse("arguments that have no JSON text");
      return;
    }
    for (const name of memberNames(given)) {
      const known = this.#root.get(name);
      const node = nodeAt(given, name);
      if (known !== undefined && textOf(known) === textOf(node)) continue;
      this.#root.set(name, node);
      this.#due.add(name);
    }
  }

  /** Returns what closes the text; of broken arguments what keeps it from being JSON. */
  end(): string {
    if (this.broken !== undefined) return this.cut();
    if (!this.begun && this.#due.size === 0) return "";
    const again = [...this.#due].map((name) => `${quoted(name)}:${textOf(this.#root.get(name) ?? new Leaf("null"))}`);
    const before = this.begun ? this.#endString() + [...this.#closers].reverse().join("") : "{";
    return `${before}${again.length > 0 && this.begun ? "," : ""}${again.join(",")}}`;
  }

  /** Returns what makes sure that arguments which stop here are not JSON. */
  cut(): string {
    return this.begun ? "" : "{";
  }

  /** Says that the arguments cannot be completed any more. */
  refuse(why: string): string {
    this.broken ??= why;
    return "";
  }

  // --- inside -----------------------------------------------------------------------------------

  #again([first]: Path): string {
    this.again = first;
    this.#due.add(first);
    return "";
  }

  /** Tells whether the text ends inside the string at `path`. */
  #isOpen(path: Path): boolean {
    const quote = this.#quote;
    return quote !== undefined && quote.length === path.length && path.every((step, at) => step === quote[at]);
  }

  #pieceOfString(text: string, more: boolean): string {
    return quoted(text).slice(1, -1) + (more ? "" : this.#endString());
  }

  #endString(): string {
    if (this.#quote === undefined) return "";
    this.#quote = undefined;
    return '"';
  }

  /** Returns what is at a path, undefined where there is nothing. */
  #find(path: Path): Node | undefined {
    let place: Node | undefined = this.#root;
    for (const step of path) place = childOf(place, step);
    return place;
  }

  /**
   * Puts a value at a path; returns how many of its steps were there, undefined if it does not fit.
   * Items come in order: what a missing one may have been cannot be known.
   */
  #put(path: Path, value: Node): number | undefined {
    let place: Node = this.#root;
    let there: number = path.length;
    for (const [at, step] of path.entries()) {
      const inner = childOf(place, step);
      if (inner === undefined) there = Math.min(there, at);
      const next = path[at + 1];
      const child = next === undefined ? value : (inner ?? emptyFor(next));
      if (!putChild(place, step, child)) return undefined;
      place = child;
    }
    return there;
  }

  /** Puts a new value at its place; returns its text, if that can be written now. */
  #write(path: Path, value: Node, more: boolean): string {
    const there = this.#put(path, value);
    if (there === undefined) return this.refuse("a piece that does not fit the others");
    if (path.slice(0, there).some((step, at) => step !== this.#open[at])) return this.#again(path);
    this.#open.length = Math.min(this.#open.length, there);
    let text = this.#endString() + this.#closers.splice(there).reverse().join("");
    text += this.begun ? "," : "{";
    this.begun = true;
    for (let at = there; at < path.length; at++) text += this.#enter(path, at);
    if (!(value instanceof StringNode)) return text + textOf(value);
    this.#quote = path;
    return `${text}"${this.#pieceOfString(value.text, more)}`;
  }

  /** Returns the text of one step of a path: its name, and the bracket of what it holds. */
  #enter(path: Path, at: number): string {
    const step = path[at] as Step;
    const name = typeof step === "string" ? `${quoted(step)}:` : "";
    const next = path[at + 1];
    if (next === undefined) return name;
    this.#open.push(step);
    this.#closers.push(typeof next === "number" ? "]" : "}");
    return name + (typeof next === "number" ? "[" : "{");
  }
}

/** Returns the value of a piece, undefined if it has none of its declared type. */
function valueIn(piece: Members): StringNode | Leaf | undefined {
  const { stringValue, boolValue, numberValue } = piece;
  if (typeof stringValue === "string") return new StringNode(stringValue);
  if (typeof boolValue === "boolean") return new Leaf(String(boolValue));
  if (typeof numberValue === "number") return leafOf(piece, "numberValue");
  const isAlone = !["stringValue", "boolValue", "numberValue"].some((name) => Object.hasOwn(piece, name));
  // JSON of protocol buffers writes this one as null; beside others null says "not given".
  const isNull = member(piece, "nullValue") === "NULL_VALUE" || (piece["nullValue"] === null && isAlone);
  return isNull ? new Leaf("null") : undefined;
}

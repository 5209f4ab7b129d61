/**
 * Function arguments that Gemini streams by path: pieces of values → pieces of JSON text.
 *
 * A piece says where it belongs (`$.stops[0].name`) and what is there; a string may come in many.
 * The text is written as the pieces come, which works as long as they come in the order of the
 * text. A member that is touched again after its text has been closed is written a second time, as
 * a whole, at the end: of equal keys the last one counts. What cannot be placed leaves the text
 * without its end, so that nobody takes the arguments for complete.
 *
 * Source: https://ai.google.dev/api/caching#PartialArg, RFC 9535, requirements S000-51.
 */

import { asJsonText, memberNames, quoted } from "../core/spelling.js";
import { type Members, member } from "../core/values.js";
import { type Path, parsePath, type Step } from "./paths.js";
import { childOf, emptyFor, Leaf, leafOf, type Node, nodeAt, putChild, StringNode, textOf } from "./tree.js";

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

  /** Returns what makes sure that arguments which stop here are no JSON. */
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

  /** Returns what stands at a path, undefined where nothing does. */
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

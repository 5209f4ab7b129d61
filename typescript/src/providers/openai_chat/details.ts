/** OpenRouter's `reasoning_details`: sent in pieces, wanted back as the whole that they make. */

import { sameJson } from "../../json/equality.js";
import { put } from "../../json/values.js";
import { type Members, member, saidMember } from "../core/values.js";

const TEXTS: ReadonlySet<string> = new Set(["text", "summary", "signature"]);

/** One detail: its members as the last piece has them, texts in pieces. */
class Detail {
  readonly #members: Members = {};
  readonly #texts = new Map<string, string[]>();

  add(piece: Members): void {
    for (const [name, value] of Object.entries(piece)) {
      if (TEXTS.has(name) && typeof value === "string") this.#textsOf(name).push(value);
      else if (value !== null || !Object.hasOwn(this.#members, name)) put(this.#members, name, value);
    }
  }

  #textsOf(name: string): string[] {
    let pieces = this.#texts.get(name);
    if (pieces === undefined) this.#texts.set(name, (pieces = []));
    return pieces;
  }

  /**
   * Tells whether `piece` continues this detail: of its type and number, not signed yet. Encrypted
   * details come whole.
   */
  goesOnWith(piece: Members): boolean {
    const members = this.#members;
    if (Object.hasOwn(piece, "data") || !sameJson(member(piece, "type"), member(members, "type"))) return false;
    const [ours, theirs] = [member(members, "index"), member(piece, "index")];
    if (ours !== undefined && theirs !== undefined && !sameJson(ours, theirs)) return false;
    const isSigned = this.#texts.get("signature")?.some((text) => text !== "") ?? false;
    return !isSigned || (saidMember(piece, "text") ?? saidMember(piece, "summary")) === undefined;
  }

  whole(): Members {
    const made = { ...this.#members };
    for (const [name, pieces] of this.#texts) made[name] = pieces.join("");
    return made;
  }
}

/** The details of one answer. */
export class ReasoningDetails {
  readonly #details: Detail[] = [];

  /** Takes a piece; it goes on with the last detail, or begins another. */
  add(piece: Members): void {
    if (this.#details.at(-1)?.goesOnWith(piece) !== true) this.#details.push(new Detail());
    this.#details.at(-1)?.add(piece);
  }

  /** Returns the details as the provider sends them where it does not stream. */
  whole(): Members[] {
    return this.#details.map((detail) => detail.whole());
  }
}

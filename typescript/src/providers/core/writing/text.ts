/** Text and thinking: where a part of it begins and ends, and halves of characters. */
import type { Opaque } from "../../../contract/current/message.js";
import { codePoints, isUnicode } from "../../../json/text.js";
import { wellFormed } from "../values.js";
import { type PartKind, StreamWriter, type TextKind } from "./stream.js";

/** Writes text and thinking, in whole characters. */
export class TextWriter extends StreamWriter {
  protected readonly textParts = new Set<number>();
  protected lastText = -1;
  #half = ""; // of a character of text or thinking; deltas of calls may come between
  #halfKind: TextKind = "text";

  /** Appends text of the answer. */
  text(text: string): void {
    this.write("text", text);
  }

  /** Appends text of the reasoning. */
  thinking(text: string): void {
    this.write("thinking", text);
  }

  /** Appends text to a part of a kind. */
  write(kind: TextKind, given: string): void {
    if (this.kind !== kind && given !== "") this.#begin(kind);
    let text = given;
    if (this.#half !== "" || !isUnicode(given)) [text, this.#half] = this.whole(this.#half + given);
    if (text === "") return;
    this.chars += codePoints(text);
    this.add(kind, { textDelta: text });
  }

  #begin(kind: TextKind): void {
    this.start();
    if (this.#halfKind !== kind) this.dropHalf();
    if (this.kind !== undefined) this.#leave(this.kind);
    this.reportUsage();
    this.kind = this.#halfKind = kind;
    this.newPart(kind);
    if (kind !== "text") return;
    this.textParts.add(this.part);
    this.lastText = this.part;
  }

  protected newPart(kind: PartKind): void {
    this.part++;
    this.chars = 0;
    this.wrote.add(kind);
  }

  protected breakPart(): void {
    this.start();
    this.dropHalf();
    if (this.kind !== undefined) this.#leave(this.kind);
    this.reportUsage();
  }

  /** Ends the text, or thinking, that is being written. */
  #leave(kind: TextKind): void {
    this.collect?.();
    this.seal(kind, this.state.isDue ? this.state.ofPart(this.part) : undefined);
  }

  /** Ends the part with what the provider wants back with it. */
  protected seal(kind: TextKind, opaque: Opaque | undefined): void {
    this.kind = undefined;
    if (opaque === undefined) return;
    // Made for the sake of the delta that follows, and at the same instant.
    this.add(kind, { textDelta: "", opaque });
    this.now = this.out.at(-1)?.timestamp;
  }

  /** Writes a half character of text that is held back, for who counts its characters now. */
  flushHalf(): void {
    if (this.#halfKind === "text") this.dropHalf();
  }

  /** Gives up waiting for the other half of a character of text, or of thinking. */
  protected dropHalf(): void {
    if (this.#half === "") return;
    this.#half = "";
    this.noteLone();
    this.write(this.#halfKind, "\ufffd");
  }

  /** Returns `text` without surrogates, and the half at its end that may yet be joined. */
  protected whole(text: string): [string, string] {
    if (isUnicode(text)) return [text, ""];
    const isCut = /[\ud800-\udbff]$/.test(text);
    const before = isCut ? text.slice(0, -1) : text;
    if (!isUnicode(before)) this.noteLone();
    return [wellFormed(before), isCut ? text.slice(-1) : ""];
  }

  protected noteLone(): void {
    const message = "Half a character came without its other half and became U+FFFD";
    this.log.note("adapter/lone-surrogate", message, "", { expected: "well-formed Unicode" });
  }
}

/** Parts of Gemini's content: which of them are parts of ours, and which are kept beside. */
import {
  GEMINI_BESIDE,
  GEMINI_MEDIA,
  GEMINI_OUTCOMES,
  GEMINI_SERVER_CALLS,
  GEMINI_SERVER_PARTS,
} from "../../generated/tables/provider-names.js";
import { isObject, put } from "../../json/values.js";
import type { CitedText } from "../core/cited-text.js";
import { type FindingLog, shown } from "../core/findings.js";
import { asJsonText, jsonTextAt, memberNames, spelledLike } from "../core/spelling.js";
import { readResult } from "../core/tool-results.js";
import { type Members, member, saidMember, saysAnything } from "../core/values.js";
import type { DeltaWriter, OpenCall, OpenMedia, TextKind } from "../core/writer.js";
import { StreamedArguments } from "./arguments.js";

const PARTS = "/candidates/0/content/parts";
const SERVER: ReadonlySet<string> = new Set(GEMINI_SERVER_PARTS);
const SERVER_CALLS: ReadonlySet<string> = new Set(GEMINI_SERVER_CALLS);
const MEDIA: ReadonlySet<string> = new Set(GEMINI_MEDIA);
const BESIDE: ReadonlySet<string> = new Set(GEMINI_BESIDE);

/**
 * Writes the parts of candidate 0; `answer` takes its text, for citations.
 *
 * What is beside a text, a function call or media in its part (`thoughtSignature` first of all) is
 * kept under its own name, with the text's range, the call or the media. Of a tool that the provider
 * runs, call and result keep their parts whole, as `part`; so is any other part, at its place. What
 * is not of the published form is kept under the member's name.
 */
export class GeminiParts {
  readonly #writer: DeltaWriter;
  readonly #log: FindingLog;
  readonly #answer: CitedText;
  #sound: OpenMedia | undefined; // which more of may come
  #call: OpenCall | undefined; // the last one, open or ended
  #name = "";
  #id: string | undefined;
  #streamed: StreamedArguments | undefined; // while its pieces are still coming
  readonly #came = new Map<string, { readonly name: string; readonly text: string | undefined }>(); // whole arguments
  #clashes = false;

  constructor(writer: DeltaWriter, log: FindingLog, answer: CitedText) {
    this.#writer = writer;
    this.#log = log;
    this.#answer = answer;
  }

  /** Whether a call has come twice, with different arguments. */
  get clashes(): boolean {
    return this.#clashes;
  }

  /** Reads the parts of one event. */
  read(parts: readonly unknown[]): void {
    for (const [number, part] of parts.entries()) {
      if (this.#clashes) return;
      if (isObject(part)) this.#readPart(part, `${PARTS}/${number}`);
      else this.#log.invalid(`${PARTS}/${number}`, "an object", part);
    }
  }

  #readPart(part: Members, place: string): void {
    const text = member(part, "text");
    const call = member(part, "functionCall");
    if (text !== "" && !Object.hasOwn(part, "inlineData")) this.#endSound();
    if (isObject(call)) this.#readCall(call, part, `${place}/functionCall`);
    else if (typeof text === "string" && (text !== "" || beside(part, "text", "thought").length === 0)) {
      this.#readText(text, part);
    } else if (!this.#writer.saysNew || !this.#readNew(part, place)) {
      this.#endSound();
      this.#readOther(part, place);
    }
  }

  /**
   * Ends what is open; `stopped`: the model ended by itself. If it did not,
   * arguments whose last piece never came are left without their end.
   */
  finish(stopped: boolean): void {
    this.#endSound();
    if (this.#streamed === undefined) return;
    const message = "The message ends while a tool call is open";
    this.#log.note("adapter/block-order", message, `${PARTS}/0/functionCall/willContinue`);
    this.#endCall(stopped);
  }

  // --- text and what is kept --------------------------------------------------------------------

  #readText(text: string, part: Members): void {
    const writer = this.#writer;
    const kind: TextKind = part["thought"] === true ? "thinking" : "text";
    // Text that follows text of its kind joins the part: this one begins inside it.
    const start = writer.kind === kind ? writer.chars : 0;
    writer.write(kind, text);
    if (kind === "text" && text !== "") this.#answer.add(writer.part, start, text);
    for (const name of beside(part, "text", "thought")) writer.keep(name, part[name], start);
  }

  /** Keeps a part that is neither text nor a call: whole, at its place. */
  #readOther(part: Members, place: string): void {
    const names = beside(part, "thought");
    if (names.length === 0) return;
    for (const [name, published] of [
      ["text", "a string"],
      ["functionCall", "an object"],
    ] as const) {
      if (names.includes(name) && part[name] !== "") {
        this.#log.invalid(`${place}/${name}`, published, part[name]);
        this.#writer.keep(name, part);
        return;
      }
    }
    this.#writer.keep("part", part);
    const content = names.find((name) => !BESIDE.has(name));
    if (content !== undefined) this.#noteContent(content, part[content], place);
  }

  #noteContent(name: string, value: unknown, place: string): void {
    if (SERVER.has(name)) {
      const kind = isObject(value) ? member(value, "toolType") : undefined;
      const message = "The provider executes this tool itself; it is not a tool call of the message";
      const actual = shown(saysAnything(kind) ? kind : name);
      this.#log.note("adapter/server-tool-call", message, `${place}/${name}`, { actual });
    } else {
      const message = "The contract has no part for this content; it is kept beside the message";
      this.#log.note("adapter/unsupported-content", message, place, { actual: shown(name) });
    }
  }

  // --- what the provider runs, and media --------------------------------------------------------

  /** Reads a call or result of a server tool, or media; tells whether the part is one. */
  #readNew(part: Members, place: string): boolean {
    const name = memberNames(part).find((each) => SERVER.has(each) || MEDIA.has(each));
    const value = name === undefined ? undefined : part[name];
    if (name === undefined || !isObject(value)) return false;
    const at = `${place}/${name}`;
    if (MEDIA.has(name)) {
      if (part["thought"] === true) return false; // drafts of the answer's images
      this.#readMedia(name, value, part, at);
      return true;
    }
    this.#endSound();
    if (!SERVER_CALLS.has(name)) return this.#readResult(name, value, part, at);
    this.#readServerCall(name, value, part, at);
    return true;
  }

  #readServerCall(name: string, value: Members, part: Members, place: string): void {
    const writer = this.#writer;
    const id = this.#log.string(member(value, "id"), `${place}/id`) || undefined;
    let call: OpenCall;
    if (name === "executableCode") {
      call = writer.openServerCall(id, "code_execution");
      const given: Members = {};
      for (const each of memberNames(value)) if (each !== "id") put(given, each, value[each]);
      writer.args(call, asJsonText(spelledLike(given, value)) ?? "{");
    } else {
      const tool = this.#log.string(member(value, "toolType"), `${place}/toolType`);
      call = writer.openServerCall(id, tool || "unknown");
      const args = member(value, "args");
      if (args !== undefined && !isObject(args)) this.#log.invalid(`${place}/args`, "an object", args);
      if (typeof args === "string") writer.args(call, args);
      else if (args !== undefined) writer.args(call, jsonTextAt(value, "args") ?? "{");
    }
    writer.keepWith(call, "part", part);
    writer.endCall(call);
  }

  /** Writes a result; tells whether there is a call that it answers. */
  #readResult(name: string, value: Members, part: Members, place: string): boolean {
    const said = this.#log.string(member(value, "outcome"), `${place}/outcome`);
    const outcome = GEMINI_OUTCOMES.get(said) ?? said;
    const { content, structured } = readResult(value, name === "codeExecutionResult" ? "output" : "response");
    const isError = outcome === "error" || outcome === "timeout";
    const id = this.#log.string(member(value, "id"), `${place}/id`);
    return this.#writer.serverResult(id, { isError, content, outcome, structured }, [["part", part]]);
  }

  /** Reads media; sound of one type in a row is one, until a piece has something beside it. */
  #readMedia(name: string, value: Members, part: Members, place: string): void {
    const writer = this.#writer;
    const mimeType = this.#log.string(member(value, "mimeType"), `${place}/mimeType`);
    let media = this.#sound;
    if (media === undefined || name !== "inlineData" || media.mimeType !== mimeType) {
      this.#endSound();
      const title = this.#log.string(member(value, "displayName"), `${place}/displayName`);
      if (mimeType === "") {
        const message = "The media does not say its type; it counts as bytes";
        this.#log.note("adapter/unknown-media-type", message, `${place}/mimeType`);
      }
      media = writer.openMedia(undefined, mimeType, title);
    }
    this.#sound = undefined;
    const kept = beside(part, name).map((each): [string, unknown] => [each, part[each]]);
    let isRead: boolean;
    if (name === "fileData") {
      const url = this.#log.string(member(value, "fileUri"), `${place}/fileUri`);
      isRead = writer.endMedia(media, { url }, kept);
    } else {
      const data = member(value, "data");
      isRead = writer.mediaData(media, { dataDelta: data }) && saysAnything(data);
      if (isRead && mimeType.startsWith("audio/") && kept.length === 0) this.#sound = media;
      else writer.endMedia(media, {}, isRead ? kept : []);
    }
    if (isRead) return;
    const content = name === "fileData" ? "fileUri" : "data";
    this.#log.invalid(`${place}/${content}`, "bytes in Base64, or a URI", member(value, content));
    writer.keep(name, part); // not as "part": no request could send it
  }

  #endSound(): void {
    if (this.#sound !== undefined) this.#writer.endMedia(this.#sound);
    this.#sound = undefined;
  }

  // --- function calls ---------------------------------------------------------------------------

  #readCall(call: Members, part: Members, place: string): void {
    const name = this.#log.string(member(call, "name"), `${place}/name`);
    const id = this.#log.string(member(call, "id"), `${place}/id`) || undefined;
    if (this.#streamed === undefined || !this.#isSame(name, id)) {
      if (name !== "") {
        if (id !== undefined && this.#cameAgain(id, name, call, place)) return;
        this.#open(name, id, place);
      } else if (this.#call === undefined || Object.values(call).some(saysAnything)) {
        this.#keepUnnamed(call, part, place);
        return;
      }
    }
    if (this.#call !== undefined) {
      for (const other of beside(part, "functionCall")) this.#writer.keepWith(this.#call, other, part[other]);
    }
    if (this.#streamed !== undefined) this.#readArguments(this.#streamed, call, place);
  }

  /** Tells whether a functionCall goes on with the one whose pieces are still coming. */
  #isSame(name: string, id: string | undefined): boolean {
    if (id !== undefined && this.#id !== undefined) return id === this.#id;
    return name === "" || name === this.#name;
  }

  /** Takes a call; tells whether it has come before: by its id and name. */
  #cameAgain(id: string, name: string, call: Members, place: string): boolean {
    const text = wholeArguments(call);
    const before = this.#came.get(id);
    if (before?.name !== name) {
      this.#came.set(id, { name, text });
      return false;
    }
    this.#clashes ||= text === undefined || text !== before.text;
    const message = "A tool call that has come already comes again; it is passed over";
    const said = { expected: "an id for each call", actual: shown(id) };
    this.#log.note("adapter/tool-call-mismatch", message, `${place}/id`, said);
    return true;
  }

  #open(name: string, id: string | undefined, place: string): void {
    if (this.#streamed !== undefined) {
      this.#log.note("adapter/block-order", "A call begins while more of another one is due", place);
      this.#endCall(true);
    }
    this.#call = this.#writer.openCall(id, name);
    this.#name = name;
    this.#id = id;
    this.#streamed = new StreamedArguments();
  }

  /** Keeps a call that has neither a name nor another one that it could go on with. */
  #keepUnnamed(call: Members, part: Members, place: string): void {
    if (Object.values(call).some(saysAnything)) {
      const message = "A tool call without a name cannot be called; it is left out of the message";
      const said = { expected: "the tool's name", actual: shown(call["name"]) };
      this.#log.note("adapter/unnamed-tool-call", message, `${place}/name`, said);
    }
    this.#writer.keep("functionCall", part); // not as "part": no request could send it
  }

  /** Reads what a functionCall says about arguments; ends the call unless more is to come. */
  #readArguments(streamed: StreamedArguments, call: Members, place: string): void {
    const goesOn = call["willContinue"] === true;
    const pieces = member(call, "partialArgs");
    if (Array.isArray(pieces)) {
      for (const [number, piece] of pieces.entries()) {
        this.#readPiece(streamed, piece, `${place}/partialArgs/${number}`);
      }
    } else if (pieces !== undefined) {
      this.#log.invalid(`${place}/partialArgs`, "an array", pieces);
      streamed.refuse("pieces that cannot be read");
    }
    this.#readWhole(streamed, call, place, goesOn || streamed.begun);
    if (!goesOn) this.#endCall(true);
  }

  /** Reads arguments that came as a whole; `isAmid` pieces, or alone. */
  #readWhole(streamed: StreamedArguments, call: Members, place: string, isAmid: boolean): void {
    const args = member(call, "args");
    if (args === undefined) return;
    if (isObject(args)) {
      if (isAmid) streamed.merge(args);
      else this.#add(asJsonText(args) ?? "{");
      return;
    }
    this.#log.invalid(`${place}/args`, "an object", args);
    if (isAmid) streamed.refuse("arguments that are not an object");
    else this.#add(typeof args === "string" ? args : (jsonTextAt(call, "args") ?? "{"));
  }

  #readPiece(streamed: StreamedArguments, piece: unknown, place: string): void {
    const before = streamed.broken;
    this.#add(streamed.add(isObject(piece) ? piece : {}));
    if (streamed.broken === before) return;
    const message = `The arguments cannot be completed: ${streamed.broken}`;
    const said = { expected: "a piece of a value and its path", actual: shown(piece) };
    this.#log.note("adapter/invalid-event", message, place, said);
  }

  #add(text: string): void {
    if (text !== "" && this.#call !== undefined) this.#writer.args(this.#call, text);
  }

  /** Ends the call that is open; `isWhole`: all of it has come. */
  #endCall(isWhole: boolean): void {
    const [streamed, call] = [this.#streamed, this.#call];
    this.#streamed = undefined;
    if (streamed === undefined || call === undefined) return;
    if (streamed.again !== undefined) {
      const message = "Arguments came back to a member that was complete; it is written again";
      const actual = shown(streamed.again);
      this.#log.note("adapter/block-order", message, `${PARTS}/0/functionCall/partialArgs`, { actual });
    }
    this.#add(isWhole ? streamed.end() : streamed.cut());
    this.#writer.endCall(call);
  }
}

/** Returns the text of arguments that come with the call, undefined where they come in pieces. */
function wholeArguments(call: Members): string | undefined {
  if (call["willContinue"] === true || member(call, "partialArgs") !== undefined) return undefined;
  return saidMember(call, "args") === undefined ? "{}" : jsonTextAt(call, "args");
}

/** Returns which members of a part are none of `names`, and not null. */
function beside(part: Members, ...names: readonly string[]): string[] {
  return memberNames(part).filter((name) => !names.includes(name) && member(part, name) !== undefined);
}

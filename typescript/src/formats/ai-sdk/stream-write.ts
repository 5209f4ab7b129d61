/**
 * Deltas and messages as the UI message stream: one run is one UI message, with a step for each. What the events
 * do not say is known when the stream has ended: it is read back as any other.
 */

import type { MessageDelta } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { inOrder, type Loss } from "../../convert/losses.js";
import { PartwireError } from "../../errors.js";
import { base64Of, bytesOf } from "../../json/base64.js";
import { decodeJson } from "../../json/documents.js";
import { isObject } from "../../json/values.js";
import { compareStreams } from "../core/compared.js";
import { heads, PARTWIRE } from "../core/extension.js";
import { isMessage, readItem } from "../core/items.js";
import { Losses } from "../core/lost.js";
import { type Json, Reading } from "../core/reading.js";
import { RunAssembler } from "../core/runs.js";
import { alreadyDone, type StreamWriter } from "../core/streams.js";
import { OUR_REASONS } from "./chunks.js";
import { SAID } from "./extension.js";
import { approvalOf, errorText, filePart, outputOf, sourcePart, UiParts } from "./parts.js";
import { metadataOf, OWN, piecesOf } from "./state.js";
import { UiStreamReader } from "./stream-read.js";

const FIRST = "5";
const LAST = "7";

/** Returns a writer of one UI message stream. */
export function openUiWriter(version: string, extensions: boolean): StreamWriter {
  return new UiStreamWriter(version, extensions);
}

/** A call whose arguments come. */
interface OpenCall {
  readonly name: string;
  readonly pieces: string[];
  /** State that came before the end; the last one counts. */
  opaque: unknown;
}

/** Media that comes. */
interface OpenMedia {
  readonly start: Json;
  pieces: Uint8Array[];
  readonly words: string[];
}

/** Items in, chunks out. */
export class UiStreamWriter implements StreamWriter {
  readonly #version: string;
  readonly #extensions: boolean;
  readonly #run = new RunAssembler();
  readonly #back = new RunAssembler();
  readonly #reader = new UiStreamReader(new Reading(OWN));
  readonly #losses = new Losses();
  #chunks: Json[] = [];
  #hasBegun = false;
  #isOver = false;
  /** Of the id of the last text. */
  #number = 0;
  /** The text that is open. */
  #text: { readonly name: "text" | "reasoning"; readonly id: string; readonly said: string[] } | undefined;
  readonly #open = new Map<string, OpenCall>();
  readonly #media = new Map<string, OpenMedia>();
  /** Calls whose end has been written, and whether the provider runs them. */
  readonly #calls = new Map<string, boolean>();
  /** The call of an approval. */
  readonly #asked = new Map<unknown, unknown>();
  /** Calls whose approval was denied. */
  readonly #refused = new Set<unknown>();
  #citations = 0;
  #reason = "";
  #hasSpoken = false;
  #messages = 0;
  #spoken = 0;

  constructor(version: string, extensions = false) {
    this.#version = version;
    this.#extensions = extensions;
  }

  /** What the events do not say of the items; all of it once the stream has ended. */
  get losses(): readonly Loss[] {
    return inOrder(this.#losses.found);
  }

  /** Takes an item; throws as {@link RunAssembler.feed}, and changes nothing then. */
  feed(given: unknown): Json[] {
    if (this.#isOver) throw alreadyDone();
    const item = readItem(given);
    if (item === undefined) return [];
    this.#run.feed(item);
    if (item instanceof Unknown) return [];
    if (isMessage(item)) this.#onMessage(item as unknown as Json);
    else this.#onDelta(item);
    return this.#taken();
  }

  /** Ends the stream; one whose last message is cut ends with an error. */
  finish(): Json[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    if (this.#run.open !== undefined) {
      this.#endText();
      this.#put({ type: "error", errorText: "The stream ended before it was finished" });
    }
    const messages = this.#run.finish() as unknown as Json[];
    this.#begin();
    const finish: Json = { type: "finish", ...(this.#reason ? { finishReason: this.#reason } : {}) };
    this.#put(finish);
    this.#back.feedAll(this.#reader.finish());
    const back = this.#back.finish() as unknown as Json[];
    // For whoever stores the message that the client has made.
    if (this.#extensions) finish["messageMetadata"] = { [PARTWIRE]: heads(messages) };
    compareStreams(messages, back, this.#losses, { own: OWN, heads: this.#extensions });
    return this.#taken();
  }

  #taken(): Json[] {
    const taken = this.#chunks;
    this.#chunks = [];
    return taken;
  }

  #put(chunk: Json): void {
    this.#chunks.push(chunk);
    this.#back.feedAll(this.#reader.feed(chunk));
  }

  #begin(messageId?: string): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#put({ type: "start", ...(messageId ? { messageId } : {}) });
  }

  /** Writes a delta that the format has no event for, as metadata of the message. */
  #say(delta: MessageDelta): void {
    if (!this.#extensions) return;
    const { seq: _, providerRaw: __, ...said } = delta as unknown as Json;
    this.#spoken++;
    const number = this.#messages - (delta.kind === "start" ? 0 : 1);
    const entry = { [number]: { [SAID]: { [this.#spoken]: said } } };
    this.#put({ type: "message-metadata", messageMetadata: { [PARTWIRE]: { messages: entry } } });
  }

  /** Returns metadata with what is ours, where there is any, as a member of a chunk. */
  #metadata(theirs: unknown, ours: Readonly<Record<string, unknown>>): { providerMetadata?: Json } {
    const own = Object.fromEntries(Object.entries(ours).filter(([, value]) => isSome(value)));
    const mine = this.#extensions && isSome(own) ? { [PARTWIRE]: own } : {};
    const metadata = { ...(theirs as Json | undefined), ...mine };
    return isSome(metadata) ? { providerMetadata: metadata } : {};
  }

  // --- deltas -----------------------------------------------------------------------------------

  #onDelta(delta: MessageDelta): void {
    switch (delta.kind) {
      case "text":
      case "thinking":
        this.#onText(delta.kind === "text" ? "text" : "reasoning", delta.payload as unknown as Json);
        return;
      case "usage":
      case "warning":
        this.#say(delta);
        return;
      case "text_citation":
        this.#onCitation(delta.payload.citation as unknown as Json);
        return;
      case "media_data":
        this.#onMediaData(delta.payload);
        return;
      default:
        this.#endText();
        this.#onWhole(delta);
    }
  }

  /** Writes a delta that ends the text before it. */
  #onWhole(delta: MessageDelta): void {
    const payload = delta.payload as unknown as Json;
    switch (delta.kind) {
      case "start":
        this.#hasSpoken = true;
        this.#begin(delta.messageId);
        this.#say(delta);
        this.#messages++;
        this.#put({ type: "start-step" });
        return;
      case "done":
        this.#say(delta);
        this.#reason = OUR_REASONS.get(delta.payload.finishReason) ?? "other";
        this.#put({ type: "finish-step" });
        return;
      case "error":
        this.#say(delta);
        this.#onError(delta.payload.errorCode, delta.payload.message);
        return;
      case "media_start":
        this.#media.set(delta.payload.mediaId, { start: payload, pieces: [], words: [] });
        return;
      case "media_end":
        this.#onMediaEnd(delta.payload.mediaId, payload);
        return;
      case "server_tool_result":
        this.#onResult(payload, true);
        return;
      case "approval_request":
        this.#onApproval(payload);
        return;
      default:
        this.#onCall(delta.kind, payload);
    }
  }

  #onError(errorCode: string, message: string | undefined): void {
    const said = message || errorCode;
    if (errorCode !== "cancelled") this.#put({ type: "error", errorText: said });
    else this.#put({ type: "abort", ...(this.#version === FIRST ? {} : { reason: said }) });
  }

  #onCitation(citation: Json): void {
    this.#citations++;
    const { providerMetadata, ...source } = sourcePart(citation, this.#citations);
    this.#put({ ...source, ...this.#metadata(providerMetadata, { citation }) });
  }

  #onText(name: "text" | "reasoning", payload: Json): void {
    if (this.#text !== undefined && this.#text.name !== name) this.#endText();
    const delta = payload["textDelta"] as string;
    const hasState = Object.hasOwn(payload, "opaque");
    if (delta === "" && !hasState) return;
    if (this.#text === undefined) {
      this.#text = { name, id: String(++this.#number), said: [] };
      this.#put({ type: `${name}-start`, id: this.#text.id });
    }
    if (delta !== "") {
      this.#text.said.push(delta);
      this.#put({ type: `${name}-delta`, id: this.#text.id, delta });
    }
    if (hasState) this.#endText(payload["opaque"]);
  }

  /** Ends the text that is open, with the state of all of it; of pieces of it there is none. */
  #endText(opaque?: unknown): void {
    if (this.#text === undefined) return;
    const { name, id, said } = this.#text;
    this.#text = undefined;
    const text = said.join("");
    const pieces = piecesOf(name === "text" ? "text" : "thinking", text, opaque);
    const whole = pieces.find((each) => each.text === text && isSome(each.metadata));
    this.#put({ type: `${name}-end`, id, ...this.#metadata(whole?.metadata, { opaque }) });
  }

  // --- media ------------------------------------------------------------------------------------

  #onMediaData(payload: { mediaId: string; data?: string; dataDelta?: string; transcriptDelta?: string }): void {
    const media = this.#media.get(payload.mediaId);
    if (media === undefined) return;
    const { data, dataDelta, transcriptDelta } = payload;
    if (data !== undefined) media.pieces = [bytesOf(data) ?? new Uint8Array()];
    if (dataDelta !== undefined) media.pieces.push(bytesOf(dataDelta) ?? new Uint8Array());
    if (transcriptDelta !== undefined) media.words.push(transcriptDelta);
  }

  #onMediaEnd(mediaId: string, end: Json): void {
    const media = this.#media.get(mediaId);
    if (media === undefined) return;
    this.#media.delete(mediaId);
    const { start, words } = media;
    const opaque = end["opaque"] ?? start["opaque"];
    const named = "name" in start ? { name: start["name"] } : {};
    const payload = {
      mimeType: end["mimeType"] ?? start["mimeType"],
      source: end["source"] ?? { kind: "inline", data: base64Of(joined(media.pieces)) },
      ...named,
      ...(opaque === undefined ? {} : { opaque }),
    };
    const part = filePart("media", payload, this.#version);
    if (isNamed(part)) return;
    // The client does not take the name from this event.
    const { providerMetadata, filename: _, ...file } = part;
    const transcript = words.length > 0 ? { transcript: words.join("") } : {};
    const size = "sizeBytes" in end ? { sizeBytes: end["sizeBytes"] } : {};
    const ours = { opaque, media: { ...named, ...transcript, ...size } };
    this.#put({ ...file, ...this.#metadata(providerMetadata, ours) });
  }

  // --- calls ------------------------------------------------------------------------------------

  #onCall(kind: string, payload: Json): void {
    const toolCallId = payload["toolCallId"] as string;
    const isServer = kind.startsWith("server_");
    const ran = isServer ? { providerExecuted: true } : {};
    if (kind.endsWith("_start")) {
      const toolName = payload["toolName"] as string;
      this.#open.set(toolCallId, { name: toolName, pieces: [], opaque: payload["opaque"] });
      this.#put({ type: "tool-input-start", toolCallId, toolName, ...ran });
      return;
    }
    const call = this.#open.get(toolCallId);
    if (call === undefined) return;
    call.opaque = payload["opaque"] ?? call.opaque;
    if (kind.endsWith("_args")) {
      const text = payload["argsTextDelta"] as string;
      if (text === "") return;
      call.pieces.push(text);
      this.#put({ type: "tool-input-delta", toolCallId, inputTextDelta: text });
      return;
    }
    this.#open.delete(toolCallId);
    this.#calls.set(toolCallId, isServer);
    const theirs = metadataOf(isServer ? "server_tool_call" : "tool_call", call.opaque);
    this.#put({
      type: "tool-input-available",
      toolCallId,
      toolName: call.name,
      input: inputOf(call.pieces.join("")),
      ...ran,
      ...this.#metadata(theirs, { opaque: call.opaque }),
    });
  }

  #onApproval(payload: Json): void {
    if (this.#version === FIRST) return;
    this.#put(this.#request(payload["toolCallId"], approvalOf(payload, this.#version)));
  }

  /** Returns the event that asks for an approval. */
  #request(toolCallId: unknown, approval: Json): Json {
    const { id, requestReason, ...said } = approval;
    this.#asked.set(id, toolCallId);
    const reason = requestReason === undefined ? {} : { reason: requestReason };
    return { type: "tool-approval-request", approvalId: id, toolCallId, ...said, ...reason };
  }

  // --- whole messages ---------------------------------------------------------------------------

  #onResult(payload: Json, isServer: boolean): void {
    const { toolCallId, ...result } = payload;
    const known = this.#calls.get(toolCallId as string);
    if (known === undefined) {
      // The client takes no result of a call that it does not have. Before all else it may have it: of
      // the message with which the stream goes on.
      if (isServer || this.#hasSpoken) return;
      this.#begin();
    } else if (known !== isServer) {
      return; // the client would take the call for one of the other kind
    }
    const ran = isServer ? { providerExecuted: true } : {};
    const theirs = isServer ? metadataOf("server_tool_result", payload["opaque"]) : {};
    const state = this.#version === FIRST ? {} : this.#metadata(theirs, { result });
    // The client has to know of the answer: of an earlier stream, or of this one.
    const isKnown = known === undefined || this.#refused.has(toolCallId);
    if (payload["outcome"] === "denied" && this.#version !== FIRST && !isServer && isKnown) {
      this.#put({ type: "tool-output-denied", toolCallId });
    } else if (payload["isError"] === true) {
      this.#put({ type: "tool-output-error", toolCallId, errorText: errorText(payload), ...ran, ...state });
    } else {
      const said = payload["outcome"] === "partial" ? { preliminary: true } : {};
      this.#put({ type: "tool-output-available", toolCallId, output: outputOf(payload), ...said, ...ran, ...state });
    }
  }

  #onMessage(message: Json): void {
    this.#messages++;
    if (message["role"] === "assistant") this.#onAssistant(message);
    if (message["role"] !== "tool") return;
    for (const { kind, payload } of message["parts"] as { kind: string; payload: Json }[]) {
      if (kind === "tool_result") {
        this.#onResult(payload, false);
      } else if (kind === "approval_response" && this.#version === LAST) {
        const { approvalId, decision, reason } = payload;
        const approved = decision === "approved";
        if (!approved && this.#asked.has(approvalId)) this.#refused.add(this.#asked.get(approvalId));
        const said = { approvalId, approved, ...(reason === undefined ? {} : { reason }) };
        this.#put({ type: "tool-approval-response", ...said });
      }
    }
  }

  /** Writes a whole message of the assistant as its step. */
  #onAssistant(message: Json): void {
    this.#hasSpoken = true;
    this.#begin(message["messageId"] as string | undefined);
    this.#put({ type: "start-step" });
    const made = new UiParts(this.#version);
    made.add(0, message);
    for (const part of made.parts) for (const chunk of this.#chunksOf(part)) this.#put(chunk);
    const meta = message["meta"] as { finishReason?: string } | undefined;
    this.#reason = OUR_REASONS.get(meta?.finishReason ?? "") ?? "";
    this.#put({ type: "finish-step" });
  }

  #chunksOf(part: Json): Json[] {
    const type = part["type"] as string;
    if (type === "text" || type === "reasoning") {
      const [id, delta] = [String(++this.#number), part["text"]];
      const said = delta === "" ? [] : [{ type: `${type}-delta`, id, delta }];
      const metadata = "providerMetadata" in part ? { providerMetadata: part["providerMetadata"] } : {};
      return [{ type: `${type}-start`, id }, ...said, { type: `${type}-end`, id, ...metadata }];
    }
    if (type === "step-start" || isNamed(part)) return [];
    if (type.startsWith("tool-")) return this.#toolChunks(part, type.slice("tool-".length));
    // The client does not take the name of a file from the event.
    const { filename: _, ...chunk } = part;
    return [chunk];
  }

  #toolChunks(part: Json, toolName: string): Json[] {
    const call = { toolCallId: part["toolCallId"] };
    const isServer = "providerExecuted" in part;
    this.#calls.set(part["toolCallId"] as string, isServer);
    const ran = isServer ? { providerExecuted: true } : {};
    const metadata = "callProviderMetadata" in part ? { providerMetadata: part["callProviderMetadata"] } : {};
    const made: Json[] = [
      { type: "tool-input-available", ...call, toolName, input: part["input"], ...ran, ...metadata },
    ];
    if (isObject(part["approval"])) made.push(this.#request(part["toolCallId"], part["approval"]));
    if (part["state"] === "output-available") {
      made.push({ type: "tool-output-available", ...call, output: part["output"], ...ran });
    } else if (part["state"] === "output-error") {
      made.push({ type: "tool-output-error", ...call, errorText: part["errorText"], ...ran });
    }
    return made;
  }
}

/**
 * Tells whether a file has only the name that a provider gave it, which no event brings. Without that, and
 * without a URL, the client has a file that it cannot send back.
 */
function isNamed(part: Json): boolean {
  return "providerReference" in part;
}

/** Tells whether a value says anything; an empty object does not. */
function isSome(value: unknown): boolean {
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Returns the value that argument text is; the text itself where it is not an object. */
function inputOf(raw: string): unknown {
  if (raw === "") return {};
  try {
    const value = decodeJson(raw);
    return isObject(value) ? value : raw;
  } catch (error) {
    if (error instanceof PartwireError) return raw;
    throw error;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

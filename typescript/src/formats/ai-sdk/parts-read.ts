/** The parts of a UI message, read into steps. */

import { canonical } from "../../json/canonical.js";
import { isObject, own } from "../../json/values.js";
import { textPart } from "../core/parts.js";
import { type Json, Members, type Reading } from "../core/reading.js";
import { cited, mediaOf, resultAs } from "./extension.js";
import { withBlock } from "./server-tools.js";
import { opaqueOf, ownState } from "./state.js";
import { Steps, textLike } from "./steps.js";
import { callOf, deniedResult, errorResult, fileOf, resultOf } from "./values.js";

const TOOL = "tool-";
const STATES: ReadonlySet<string> = new Set([
  "input-streaming",
  "input-available",
  "approval-requested",
  "approval-responded",
  "output-available",
  "output-error",
  "output-denied",
]);
const STORED_STATES: ReadonlySet<string> = new Set(["partial-call", "call", "result"]);
const SOURCES: ReadonlySet<string> = new Set(["source-url", "source-document", "source"]);

/** Reads the parts of one UI message. */
export class UiPartsReader {
  readonly #role: string;
  readonly #reading: Reading;
  readonly #steps: Steps;

  constructor(role: string, reading: Reading) {
    this.#role = role;
    this.#reading = reading;
    this.#steps = new Steps(reading);
  }

  /** Returns the steps of a message, with those that version 4 stored beside the text. */
  of(message: Members): Steps {
    const place = message.at("parts");
    const [parts, content] = [message.list("parts"), message.text("content")];
    if (parts === undefined) {
      this.#stored(message, content);
    } else {
      for (const part of this.#reading.items(parts, place)) this.#read(part);
      this.#beside(message, content, parts as Json[]);
    }
    this.#attachments(message);
    this.#steps.end();
    return this.#steps;
  }

  // --- what version 4 stored ----------------------------------------------------------------------

  #stored(message: Members, content: string | undefined): void {
    const steps = this.#steps;
    const isAnswer = this.#role === "assistant";
    const reasoning = isAnswer ? message.text("reasoning") : undefined;
    if (reasoning) steps.say(textLike("thinking", reasoning));
    const calls = (isAnswer ? message.list("toolInvocations") : undefined) ?? [];
    let last = 0;
    for (const call of this.#reading.items(calls, message.at("toolInvocations"))) {
      if (call.peek("step") === last + 1) {
        last++;
        steps.next();
      }
      call.skip("step", last);
      this.#invocation(call);
    }
    if (!content) return;
    if (calls.length > 0) steps.next();
    steps.say(textPart(content));
  }

  /** Reports what stands beside the parts and says something else than they. */
  #beside(message: Members, content: string | undefined, parts: readonly Json[]): void {
    const [reasoning, calls] = [message.value("reasoning"), message.value("toolInvocations")];
    const report = (name: string, said: unknown, isSame: () => boolean): void => {
      if ((said ?? null) === null) return;
      this.#reading.note(isSame() ? "duplicate-text" : "foreign-member", message.at(name));
    };
    report("content", content, () => isSaid(content, textsOf(parts, "text", "text")));
    report("reasoning", reasoning, () => isSaid(reasoning, textsOf(parts, "reasoning", "reasoning", "text")));
    report("toolInvocations", calls, () => {
      const known = new Set(parts.map((part) => canonical(own(part, "toolInvocation") ?? null)));
      return Array.isArray(calls) && calls.every((call) => known.has(canonical(call)));
    });
  }

  #attachments(message: Members): void {
    const files = message.list("experimental_attachments") ?? [];
    for (const file of this.#reading.items(files, message.at("experimental_attachments"))) {
      const [mime, name] = [file.text("contentType"), file.text("name")];
      if (mime && !file.has("mediaType")) file.put("mediaType", mime);
      if (name && !file.has("filename")) file.put("filename", name);
      this.#file(file);
    }
  }

  /** Reads a call of version 4, with its result. */
  #invocation(call: Members): void {
    const steps = this.#steps;
    const [state, callId, name] = [call.text("state"), call.text("toolCallId"), call.text("toolName")];
    const given = call.value("args");
    if (state === undefined || !STORED_STATES.has(state) || !callId || !name) {
      this.#reading.note("foreign-part", call.place);
      return;
    }
    if (state === "partial-call") {
      steps.leaveOpen(callId, call.place);
      return;
    }
    steps.say(callOf(callId, name, given, false));
    if (state === "result") steps.answer(resultOf(callId, call.value("result"), call.at("result"), this.#reading));
    call.close();
  }

  // --- parts --------------------------------------------------------------------------------------

  #read(part: Members): void {
    const kind = part.text("type") ?? "";
    if (kind === "file") {
      this.#file(part);
    } else if (this.#part(kind, part)) {
      part.close();
    } else {
      this.#reading.note("foreign-part", part.place);
    }
  }

  /** Reads a part; returns whether a message has a place for it. */
  #part(kind: string, part: Members): boolean {
    if (kind === "text") return this.#text("text", part);
    if (kind === "step-start") {
      this.#steps.next();
      return true;
    }
    if (this.#role !== "assistant") return false;
    if (kind === "reasoning") return this.#text("thinking", part);
    if (kind === "steering-message") return this.#steering(part);
    if (SOURCES.has(kind)) return this.#source(kind, part);
    if (kind === "dynamic-tool" || kind.startsWith(TOOL)) {
      const call = kind === "tool-invocation" ? part.object("toolInvocation") : undefined;
      if (call === undefined || Object.keys(call).length === 0) return this.#tool(kind, part);
      this.#steps.isOld = true;
      this.#invocation(new Members(call, part.at("toolInvocation"), this.#reading));
      return true;
    }
    return false;
  }

  #text(kind: string, part: Members): boolean {
    const isThinking = kind === "thinking";
    const details = isThinking ? part.list("details") : undefined;
    const old = isThinking ? part.text("reasoning") : undefined;
    if (details !== undefined) {
      if (old !== undefined) {
        const isSame = old === details.map(textIn).join("");
        this.#reading.note(isSame ? "duplicate-text" : "foreign-member", part.at("reasoning"));
      }
      this.#details(details, part.at("details"));
      return true;
    }
    const text = old ?? part.text("text");
    if (text === undefined) return false;
    const isOpen = part.peek("state") === "streaming";
    part.skip("state", "done", "streaming");
    const made = textLike(kind, text, this.#opaque(kind, part, "providerMetadata", text));
    this.#steps.say(made);
    if (isOpen) this.#steps.stillComes(made, part.at("state"));
    return true;
  }

  /** Reads reasoning as version 4 stored it: pieces, signed or redacted. */
  #details(details: readonly unknown[], place: string): void {
    for (const piece of this.#reading.items(details, place)) {
      const kind = piece.text("type");
      const text = piece.text("text") ?? "";
      const said: Json = {};
      if (kind === "redacted") {
        said["redactedData"] = piece.text("data") ?? null;
      } else if (kind === "text") {
        const signature = piece.text("signature");
        if (signature !== undefined) said["signature"] = signature;
      } else {
        this.#reading.note("foreign-part", piece.place);
        continue;
      }
      const metadata: Json = Object.keys(said).length > 0 ? { anthropic: said } : {};
      const opaque = opaqueOf("thinking", metadata, text, piece.place, this.#reading);
      this.#steps.say(textLike("thinking", text, opaque));
      piece.close();
    }
  }

  #file(part: Members): void {
    const made = fileOf(part, this.#reading, false);
    if (made === undefined) {
      this.#reading.note("foreign-part", part.place);
      return;
    }
    const said = this.#role === "assistant" ? mediaOf(part.peek("providerMetadata")) : {};
    const opaque = this.#opaque("media", part, "providerMetadata");
    if (opaque !== undefined) said["opaque"] = opaque;
    this.#steps.say(Object.keys(said).length === 0 ? made : asMedia(made, said));
    part.close();
  }

  /**
   * Takes the metadata of a part; what others than the assistant have is left, and reported: it is for the
   * request, and no provider wants it back.
   */
  #opaque(kind: string, part: Members, name: string, text = ""): Json | undefined {
    const metadata = this.#role === "assistant" ? part.object(name) : undefined;
    if (metadata === undefined || Object.keys(metadata).length === 0) return undefined;
    return opaqueOf(kind, metadata, text, part.at(name), this.#reading);
  }

  /** Reads what a user said while the answer was going on. */
  #steering(part: Members): boolean {
    const given = part.list("parts");
    if (given === undefined) return false;
    const inner = new UiPartsReader("user", this.#reading);
    for (const each of this.#reading.items(given, part.at("parts"))) inner.#read(each);
    this.#reading.note("part-order", part.place); // it is a message of its own
    this.#steps.interrupt(inner.#steps.said(), part.text("id"));
    return true;
  }

  #source(kind: string, part: Members): boolean {
    const source = kind === "source" ? this.#oldSource(part) : part;
    if (source === undefined) return false;
    const said: Json = {
      id: source.text(kind === "source" ? "id" : "sourceId"),
      url: source.text("url"),
      title: source.text("title"),
    };
    const named = Object.fromEntries(Object.entries(said).filter(([, value]) => value));
    if (kind !== "source-document" && !Object.hasOwn(named, "url")) return false;
    const metadata = source.object("providerMetadata") ?? {};
    const citation: Json = cited(metadata, this.#reading, part.place) ?? {
      source: { kind: Object.hasOwn(named, "url") ? "url" : "document", ...named },
      ...(Object.keys(metadata).length > 0 ? { opaque: ownState({ providerMetadata: metadata }) } : {}),
    };
    this.#steps.cite(citation, part.place);
    if (source !== part) source.close();
    return true;
  }

  /** Opens the source of version 4: a page. */
  #oldSource(part: Members): Members | undefined {
    const inner = part.object("source");
    if (inner === undefined) return undefined;
    const source = new Members(inner, part.at("source"), this.#reading);
    return source.text("sourceType") === "url" ? source : undefined;
  }

  // --- tools --------------------------------------------------------------------------------------

  #tool(kind: string, part: Members): boolean {
    const [reading, steps] = [this.#reading, this.#steps];
    const [state, callId] = [part.text("state"), part.text("toolCallId")];
    const isDynamic = kind === "dynamic-tool";
    const name = isDynamic ? part.text("toolName") : kind.slice(TOOL.length);
    if (state === undefined || !STATES.has(state) || !callId || !name) return false;
    if (isDynamic) reading.note("tool-form", part.place);
    if (state === "input-streaming") {
      steps.leaveOpen(callId, part.place);
      return false;
    }
    let given = part.value("input");
    if (given === null && state === "output-error") given = part.value("rawInput");
    const isServer = part.flag("providerExecuted") ?? false;
    const opaque = this.#opaque(isServer ? "server_tool_call" : "tool_call", part, "callProviderMetadata");
    steps.say(callOf(callId, name, given, isServer, opaque));
    const reason = this.#approval(callId, part);
    const plain = this.#result(state, callId, part, reason);
    if (plain === undefined) return true;
    const whole = resultAs(part.peek("resultProviderMetadata"), plain, reading, part.place);
    if (whole !== undefined) part.value("resultProviderMetadata");
    const result = whole ?? plain;
    if (isServer) this.#serverResult(result["payload"] as Json, part);
    else steps.answer(result);
    return true;
  }

  #serverResult(payload: Json, part: Members): void {
    const opaque = this.#opaque("server_tool_result", part, "resultProviderMetadata");
    const said = opaque === undefined ? payload : { ...payload, opaque };
    this.#steps.say({ kind: "server_tool_result", payload: withBlock(said) });
  }

  #result(state: string, callId: string, part: Members, reason: string | undefined): Json | undefined {
    if (state === "output-error") return errorResult(callId, part.text("errorText") ?? "");
    if (state === "output-denied") return deniedResult(callId, reason);
    if (state !== "output-available") return undefined;
    const output = part.value("output");
    const members = part.flag("preliminary") === true ? { outcome: "partial" } : {};
    return resultOf(callId, output, part.at("output"), this.#reading, members);
  }

  /** Reads the approval of a call; returns the reason that was given with the decision. */
  #approval(callId: string, part: Members): string | undefined {
    const given = part.object("approval");
    if (given === undefined) return undefined;
    const approval = new Members(given, part.at("approval"), this.#reading);
    const [approvalId, approved] = [approval.text("id"), approval.flag("approved")];
    if (!approvalId) {
      this.#reading.note("foreign-member", approval.place);
      return undefined;
    }
    const request: Json = { approvalId, toolCallId: callId };
    const reason = approval.text("reason");
    const asked = approval.text("requestReason") ?? (approved === undefined ? reason : undefined);
    if (asked !== undefined) request["reason"] = asked;
    const kept: Json = {};
    for (const name of ["isAutomatic", "signature"]) if (approval.has(name)) kept[name] = approval.value(name);
    if (Object.keys(kept).length > 0) request["opaque"] = ownState(kept);
    this.#steps.say({ kind: "approval_request", payload: request });
    if (approved !== undefined) {
      const payload: Json = { approvalId, toolCallId: callId, decision: approved ? "approved" : "denied" };
      if (reason !== undefined) payload["reason"] = reason;
      this.#steps.answer({ kind: "approval_response", payload });
    }
    approval.close();
    return approved === undefined ? undefined : reason;
  }
}

/** Returns what the parts of a type say, each in the first of `members` that is text. */
function textsOf(parts: readonly Json[], type: string, ...members: readonly string[]): string[] {
  const found = parts.filter((part) => part["type"] === type).map((part) => members.map((name) => own(part, name)));
  return found.flatMap((each) => each.filter((text) => typeof text === "string").slice(0, 1));
}

/** Tells whether texts together say it, or the last one does. */
const isSaid = (said: unknown, texts: readonly string[]): boolean =>
  said === texts.join("") || said === (texts.at(-1) ?? "");

/** Returns the text of a piece; "" where it has none. */
function textIn(piece: unknown): string {
  const text = isObject(piece) ? own(piece, "text") : undefined;
  return typeof text === "string" ? text : "";
}

/** Returns a file as media with `said`: an image has no state. */
function asMedia({ kind, payload }: Json, said: Json): Json {
  const { mimeType, data, url, ...rest } = payload as Json;
  if (kind !== "image") return { kind, payload: { ...(payload as Json), ...said } };
  const source = data === undefined ? { kind: "url", url } : { kind: "inline", data };
  return { kind: "media", payload: { mimeType, source, ...rest, ...said } };
}

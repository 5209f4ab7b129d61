/** Parts of messages as parts of a UI message. */

import { jsonText } from "../../json/compact.js";
import { isObject } from "../../json/values.js";
import type { PartPlace } from "../core/compared.js";
import { PARTWIRE } from "../core/extension.js";
import type { Json } from "../core/reading.js";
import { pagesOf } from "./server-tools.js";
import { metadataOf, OWN, piecesOf } from "./state.js";
import { DENIED } from "./values.js";

const FIRST = "5"; // has no approvals, and no state of results
const LAST = "7"; // has names of files, and says why an approval is asked for
const URL_START = /^(?:data:|[A-Za-z][A-Za-z0-9+.-]*:\/\/)/;

/** The parts of one UI message, as they grow. */
export class UiParts {
  readonly parts: Json[] = [];
  /** Parts of ours that it has no place for. */
  readonly leftOut: PartPlace[] = [];
  /** Parts of ours that became several. */
  readonly cut: (readonly [place: PartPlace, count: number])[] = [];
  readonly #version: string;
  /** The tool part of a call. */
  readonly #calls = new Map<unknown, Json>();
  #sources = 0;

  constructor(version: string) {
    this.#version = version;
  }

  /** Adds a message, which is one of several steps or the only one. */
  add(number: number, message: Json, isStep = false): void {
    const role = message["role"] as string;
    if (role === "assistant" && isStep) this.parts.push({ type: "step-start" });
    for (const [at, part] of (message["parts"] as Json[]).entries()) {
      const count = this.#part(role, part["kind"] as string, part["payload"] as Json);
      if (count === 0) this.leftOut.push([number, at]);
      else if (count > 1) this.cut.push([[number, at], count]);
    }
    if (role !== "assistant" || !isCutInText(message)) return;
    const last = this.parts.at(-1);
    if (last?.["state"] === "done") last["state"] = "streaming";
  }

  /** Adds a part; returns how many parts it became, 0 where there is no place for it. */
  #part(role: string, kind: string, payload: Json): number {
    if (kind === "text") return this.#text(role, "text", payload);
    if (kind === "image" || kind === "media" || kind === "file_ref") {
      if (role === "user" || role === "assistant") return this.#push(filePart(kind, payload, this.#version));
    }
    const isAnswer = (kind === "tool_result" || kind === "approval_response") && (role === "tool" || role === "user");
    if (role !== "assistant" && !isAnswer) return 0;
    if (kind === "thinking") return this.#text(role, "reasoning", payload);
    if (kind === "tool_call" || kind === "server_tool_call") return this.#call(kind, payload);
    const part = this.#calls.get(payload["toolCallId"]);
    if (part === undefined) return 0;
    const isResult = kind === "tool_result" || kind === "server_tool_result";
    const isSaid = isResult ? this.#result(kind, payload, part) : this.#approval(kind, payload, part);
    return isSaid ? 1 : 0;
  }

  #push(part: Json): number {
    this.parts.push(part);
    return 1;
  }

  #text(role: string, type: string, payload: Json): number {
    const isAnswer = role === "assistant";
    const ours = type === "text" ? "text" : "thinking";
    const pieces = piecesOf(ours, payload["text"] as string, isAnswer ? payload["opaque"] : undefined);
    for (const { text, metadata } of pieces) {
      const state = isAnswer ? { state: "done" } : {};
      this.parts.push({ type, text, ...state, ...named("providerMetadata", metadata) });
    }
    const citations = isAnswer ? ((payload["citations"] as Json[] | undefined) ?? []) : [];
    for (const citation of citations) this.parts.push(sourcePart(citation, ++this.#sources));
    return pieces.filter(({ goesOn }) => goesOn !== true).length;
  }

  #call(kind: string, payload: Json): number {
    const part: Json = {
      type: `tool-${String(payload["toolName"])}`,
      toolCallId: payload["toolCallId"],
      state: "input-available",
      input: inputOf(payload),
      ...(kind === "server_tool_call" ? { providerExecuted: true } : {}),
      ...named("callProviderMetadata", metadataOf(kind, payload["opaque"])),
    };
    this.#calls.set(payload["toolCallId"], part);
    return this.#push(part);
  }

  #result(kind: string, payload: Json, part: Json): boolean {
    const isServer = kind === "server_tool_result";
    if (String(part["state"]).startsWith("output-") || isServer !== "providerExecuted" in part) return false;
    const approval = part["approval"] as Json | undefined;
    if (payload["outcome"] === "denied" && approval?.["approved"] === false) {
      part["state"] = "output-denied";
    } else if (payload["isError"] === true) {
      Object.assign(part, { state: "output-error", errorText: errorText(payload) });
    } else {
      Object.assign(part, { state: "output-available", output: outputOf(payload) });
      if (payload["outcome"] === "partial") part["preliminary"] = true;
    }
    const metadata = isServer && this.#version !== FIRST ? metadataOf(kind, payload["opaque"]) : {};
    Object.assign(part, named("resultProviderMetadata", metadata));
    return true;
  }

  #approval(kind: string, payload: Json, part: Json): boolean {
    if (this.#version === FIRST) return false;
    const approval = part["approval"] as Json | undefined;
    if (kind === "approval_request") {
      if (approval !== undefined) return false;
      part["approval"] = approvalOf(payload, this.#version);
      if (part["state"] === "input-available") part["state"] = "approval-requested";
      return true;
    }
    if (approval === undefined || approval["id"] !== payload["approvalId"] || "approved" in approval) return false;
    approval["approved"] = payload["decision"] === "approved";
    if ("reason" in payload) approval["reason"] = payload["reason"];
    if (part["state"] === "approval-requested") part["state"] = "approval-responded";
    return true;
  }
}

/** Tells whether an answer was stored while its text was coming. */
function isCutInText(message: Json): boolean {
  const incomplete = (message["meta"] as Json | undefined)?.["incomplete"];
  if (!isObject(incomplete)) return false;
  const open = incomplete["openToolCallIds"];
  return !Array.isArray(open) || open.length === 0;
}

const named = (name: string, metadata: Json): Json => (Object.keys(metadata).length > 0 ? { [name]: metadata } : {});

/** Returns the arguments of a call; text that is not an object stands as it is. */
export function inputOf(payload: Json): unknown {
  const given = payload["arguments"] as Json;
  return Object.keys(given).length === 0 ? (payload["rawArgsText"] ?? given) : given;
}

/** Returns the value of a result: its data, else what the model reads. */
export function outputOf(payload: Json): unknown {
  const pages = pagesOf(payload["opaque"]);
  if (pages !== undefined) return pages;
  if ("structured" in payload) return payload["structured"];
  const content = payload["content"];
  if (!Array.isArray(content)) return content;
  const parts = content as Json[];
  return textIn(parts) ?? { type: "content", value: parts.map(contentOf) };
}

function contentOf(part: Json): Json {
  const payload = part["payload"] as Json;
  if (part["kind"] === "text") return { type: "text", text: payload["text"] };
  return filePart(part["kind"] as string, payload);
}

/** Returns what parts say that are all text. */
function textIn(parts: readonly Json[]): string | undefined {
  if (!parts.every((part) => part["kind"] === "text")) return undefined;
  return parts.map((part) => (part["payload"] as Json)["text"]).join("");
}

/** Returns what a failed call says. */
export function errorText(payload: Json): string {
  const content = payload["content"];
  if (typeof content === "string") return content === "" && payload["outcome"] === "denied" ? DENIED : content;
  return (Array.isArray(content) ? textIn(content as Json[]) : undefined) ?? jsonText(content);
}

/** Returns the approval that a request asks for. */
export function approvalOf(payload: Json, version: string): Json {
  const approval: Json = { id: payload["approvalId"] };
  if ("reason" in payload && version === LAST) approval["requestReason"] = payload["reason"];
  const opaque = payload["opaque"];
  const data = isObject(opaque) && opaque["provider"] === OWN ? opaque["data"] : undefined;
  for (const name of version === LAST ? ["isAutomatic", "signature"] : ["signature"]) {
    if (isObject(data) && Object.hasOwn(data, name)) approval[name] = data[name];
  }
  return approval;
}

/** How the names begin that providers give to files. */
const OWNERS: readonly (readonly [prefix: string, owner: string])[] = [
  ["file-", "openai"],
  ["file_", "anthropic"],
  ["files/", "google"],
];

/**
 * Returns an image, media, or the reference to a file, as a file. The SDK takes a URL for one from 7 on; what
 * is not one is a provider's name of the file there.
 */
export function filePart(kind: string, payload: Json, version = FIRST): Json {
  const mediaType = (payload["mimeType"] as string | undefined) || "application/octet-stream";
  const source = (payload["source"] ?? payload) as Json;
  const where = (source["url"] ?? source["ref"] ?? source["path"] ?? "") as string;
  const data = source["data"] as string | undefined;
  const url = data === undefined ? where : `data:${mediaType};base64,${data}`;
  const part: Json = { type: "file", mediaType, url };
  if (version === LAST && url !== "" && !URL_START.test(url)) {
    const owner = OWNERS.find(([prefix]) => where.startsWith(prefix))?.[1] ?? PARTWIRE;
    Object.assign(part, { url: "", providerReference: { [owner]: where } });
  }
  if ("name" in payload) part["filename"] = payload["name"];
  return { ...part, ...(kind === "media" ? named("providerMetadata", metadataOf(kind, payload["opaque"])) : {}) };
}

/** Returns a citation as a source; one without an id gets one. */
export function sourcePart(citation: Json, number: number): Json {
  const source = citation["source"] as Json;
  const part: Json = { sourceId: source["id"] || `source-${number}` };
  const isPage = "url" in source;
  if (isPage) Object.assign(part, { type: "source-url", url: source["url"] });
  else Object.assign(part, { type: "source-document", mediaType: "text/plain" });
  if ("title" in source || !isPage) part["title"] = source["title"] ?? "";
  return { ...part, ...named("providerMetadata", metadataOf("citation", citation["opaque"])) };
}

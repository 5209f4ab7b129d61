/**
 * Gemini's grounding and citations: metadata of the answer → citations of its text.
 *
 * Places are UTF-8 bytes of the answer's text without thoughts, all pieces joined, as recorded streams
 * show. Metadata may come before the text that it is about, and again with more: citations are
 * written at the end, each once.
 */

import { codePoints } from "../../json/text.js";
import { isObject } from "../../json/values.js";
import { CitedText } from "../core/cited-text.js";
import { type Members, member } from "../core/values.js";
import type { DeltaWriter } from "../core/writer.js";

const KINDS = { web: "url", maps: "url", retrievedContext: "file" } as const;
const MEMBERS = { uri: "url", title: "title", documentName: "id" } as const;
const MAX_CHARS = 1 << 22; // of all citations: any number of supports may name one long chunk

/** A segment, what it is from, and what that says. */
interface Found {
  readonly segment: Members;
  readonly source: Readonly<Record<string, string>>;
  readonly quoted: string;
}

/** The citations of one answer. `text` is the text that they are about. */
export class GeminiCitations {
  readonly text = new CitedText("byte");
  readonly #writer: DeltaWriter;
  #metadata: [name: string, metadata: unknown][] = [];

  constructor(writer: DeltaWriter) {
    this.#writer = writer;
  }

  /** Takes `groundingMetadata` or `citationMetadata`; others are none. */
  take(name: string, metadata: unknown): void {
    const isCiting = name === "groundingMetadata" || name === "citationMetadata";
    if (isCiting && this.#writer.saysNew) this.#metadata.push([name, metadata]);
  }

  /** Writes all citations; what names no source is none. */
  write(): void {
    let room = MAX_CHARS;
    const written = new Set<string>();
    const metadata = this.#metadata;
    this.#metadata = [];
    for (const [name, value] of metadata) {
      for (const { segment, source, quoted } of name === "groundingMetadata" ? grounding(value) : citations(value)) {
        // Protocol buffers leave out what is 0.
        const place = this.text.find(member(segment, "startIndex") ?? 0, segment["endIndex"], segment["text"]);
        for (const text of Object.values(source)) room -= codePoints(text);
        room -= codePoints(quoted);
        if (room < 0) return;
        const key = JSON.stringify([place, source, quoted]);
        if (written.has(key)) continue;
        written.add(key);
        const { part, start, end } = place ?? {};
        const places = place === undefined ? {} : { start, end };
        this.#writer.cite({ source, ...places, ...(quoted === "" ? {} : { quotedText: quoted }) }, [], part);
      }
    }
  }
}

function* grounding(metadata: unknown): Generator<Found> {
  const chunks = listOf(metadata, "groundingChunks");
  for (const support of listOf(metadata, "groundingSupports")) {
    const segment = objectOf(support, "segment");
    for (const index of listOf(support, "groundingChunkIndices")) {
      const chunk = Number.isSafeInteger(index) ? chunks[index as number] : undefined;
      for (const [name, kind] of Object.entries(KINDS)) {
        const about = objectOf(chunk, name);
        const source = sourceOf(about, kind);
        const text = name === "retrievedContext" ? member(about, "text") : undefined;
        const quoted = typeof text === "string" ? text : "";
        if (Object.keys(source).length > 1 || quoted !== "") yield { segment, source, quoted };
      }
    }
  }
}

function* citations(metadata: unknown): Generator<Found> {
  // Google AI and Vertex AI have different names for the array.
  for (const name of ["citationSources", "citations"]) {
    for (const segment of listOf(metadata, name).filter(isObject)) {
      const source = sourceOf(segment, "url");
      if (Object.keys(source).length > 1) yield { segment, source, quoted: "" };
    }
  }
}

function sourceOf(about: Members, kind: string): Record<string, string> {
  const said: Record<string, string> = {};
  for (const [theirs, ours] of Object.entries(MEMBERS)) {
    const value = member(about, theirs);
    if (typeof value === "string" && value !== "") said[ours] = value;
  }
  return { kind: said["url"] === undefined ? kind : "url", ...said };
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const found = isObject(value) ? member(value, name) : undefined;
  return Array.isArray(found) ? found : [];
}

function objectOf(value: unknown, name: string): Members {
  const found = isObject(value) ? member(value, name) : undefined;
  return isObject(found) ? found : {};
}

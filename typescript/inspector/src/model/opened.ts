/** A source, opened: what the page shows of it. */

import { checkHistory, type Finding, type Message, PartwireError, type TypeName, validate } from "partwire";
import { FORMATS, read as readFormat } from "partwire/formats";
import { parseJson } from "../../../src/json/digits.js";
import { readMessage } from "../../../src/message/history/messages.js";
import { Framer } from "./framing.js";
import { streamSource } from "./readers.js";
import { Recording } from "./recording.js";
import { documentOf, sniffBytes } from "./sniff.js";
import type { As, Source, SourceLoss } from "./sources.js";

/** A stream, deltas, chunks, a run: what has steps. */
export interface OpenedStream {
  readonly view: "stream";
  readonly recording: Recording;
}

/** One message, or many: a conversation. */
export interface OpenedHistory {
  readonly view: "history";
  /** As they came: what is not a message stays what it is. */
  readonly documents: readonly unknown[];
  /** Those that are messages, in order. */
  readonly messages: readonly Message[];
  /** The number of the document that each message is. */
  readonly places: readonly number[];
  /** What is wrong with the documents; the pointer begins with the number of a document. */
  readonly findings: readonly Finding[];
  readonly losses: readonly SourceLoss[];
}

export interface OpenedSession {
  readonly view: "session";
  readonly documents: readonly unknown[];
  readonly findings: readonly Finding[];
}

/** What `--format json` of a command wrote. */
export interface OpenedReport {
  readonly view: "report";
  readonly report: Readonly<Record<string, unknown>>;
}

/** Anything else that is JSON. */
export interface OpenedJson {
  readonly view: "json";
  readonly value: unknown;
}

/** What cannot be shown, and why. */
export interface OpenedNothing {
  readonly view: "nothing";
  readonly reason: string;
}

export type Opened = OpenedStream | OpenedHistory | OpenedSession | OpenedReport | OpenedJson | OpenedNothing;

/** Returns what a source holds, as it says or as it shows; several where more than one fits. */
export function heldBy(source: Source): As[] {
  return source.as === undefined ? sniffBytes(source.bytes) : [source];
}

/**
 * Opens a source as one of the things that it may hold. `now` times what comes without a time; what is already
 * here has but one such time, as that of the reading says nothing about the stream.
 */
export function open(source: Source, as: As, now: () => string = clockFor(source)): Opened {
  try {
    const stream = streamSource(as, now);
    if (stream === undefined) return document(source, as);
    const recording = new Recording(stream);
    if (source.live === undefined) {
      recording.feed(source.bytes);
      recording.close();
    }
    return { view: "stream", recording };
  } catch (error) {
    if (error instanceof PartwireError) return { view: "nothing", reason: error.message };
    throw error;
  }
}

function clockFor({ live }: Source): () => string {
  const opened = new Date().toISOString();
  return live === undefined ? () => opened : () => new Date().toISOString();
}

function document(source: Source, as: As): Opened {
  const values = valuesOf(source.bytes);
  if (values === undefined) return { view: "nothing", reason: "This is neither JSON nor a stream of events." };
  const single = values.length === 1 ? values[0] : values;
  if (as.history === true) {
    if (!FORMATS.has(as.as ?? "")) return { view: "nothing", reason: notRead(as.as ?? "") };
    const { messages, losses } = readFormat(as.as ?? "", single, { runId: "run" });
    const places = messages.map((_, index) => index);
    return { view: "history", documents: messages, messages, places, findings: checkHistory(messages), losses };
  }
  switch (as.as) {
    case "message":
    case "history": {
      const documents = Array.isArray(single) ? single : values;
      return history(documents, source.losses ?? [], as.as === "message" && documents.length === 1);
    }
    case "session": {
      const documents = Array.isArray(single) ? single : values;
      return { view: "session", documents, findings: findingsIn(documents, "session.WithParts") };
    }
    case "report":
      if (typeof single === "object" && single !== null && "findings" in single) {
        return { view: "report", report: single as Readonly<Record<string, unknown>> };
      }
      return { view: "nothing", reason: "This is not a report." };
    default:
      return { view: "json", value: single };
  }
}

/** Returns documents as a conversation. One alone is judged by itself: its calls may have their results elsewhere. */
function history(documents: readonly unknown[], losses: readonly SourceLoss[], isAlone: boolean): OpenedHistory {
  const findings = isAlone ? findingsIn(documents, "message.Message") : checkHistory(documents);
  const messages: Message[] = [];
  const places: number[] = [];
  for (const [index, each] of documents.entries()) {
    const { message } = readMessage(each);
    if (message === undefined) continue;
    messages.push(message as Message);
    places.push(index);
  }
  return { view: "history", documents, messages, places, findings, losses };
}

/** Says where a format is read that this page does not know. */
function notRead(format: string): string {
  return `This looks like ${format}, which this page does not read. The command line does: partwire inspect FILE.`;
}

/** Returns what is wrong with each of several documents; a pointer begins with the number of its document. */
export function findingsIn(documents: readonly unknown[], type: TypeName): Finding[] {
  return documents.flatMap((each, index) =>
    validate(each, type).map((finding) => ({ ...finding, pointer: `/${index}${finding.pointer}` })),
  );
}

/** Returns the JSON values that bytes hold: one, or one per line; undefined where they hold none. */
function valuesOf(bytes: Uint8Array): unknown[] | undefined {
  const whole = documentOf(bytes);
  if (whole !== undefined) return [whole];
  const framer = new Framer();
  const texts = [...framer.feed(bytes), ...framer.feed()];
  try {
    const values = texts.filter(({ text }) => text.trim() !== "").map(({ text }) => parseJson(text) as unknown);
    return values.length > 0 ? values : undefined;
  } catch {
    return undefined;
  }
}

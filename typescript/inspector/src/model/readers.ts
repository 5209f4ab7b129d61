/** One reader per kind of stream: bytes in, items out, each with the raw events that came since the last one. */

import { type Finding, type MessageDelta, PartwireError, readDelta, type Unknown } from "partwire";
import { ChunksToDeltas } from "partwire/blocks";
import { type Loss, type RunItem, reader } from "partwire/formats";
import { ADAPTERS, ByteAdapter, openAdapter } from "partwire/providers";
import { parseJson } from "../../../src/json/digits.js";
import { type FramedText, Framer } from "./framing.js";
import type { As } from "./sources.js";

/** A raw event as the wire had it. */
export interface RawEvent {
  /** The JSON value, or the text where it is not JSON. */
  readonly value: unknown;
  /** The 1-based line of the input, where it has lines. */
  readonly line?: number;
}

/** What came of raw events: an item, or the reason why there is none. */
export interface Read {
  /** The events that came since the last item, the one that made it included. */
  readonly events: readonly RawEvent[];
  readonly item?: RunItem;
  readonly finding?: Finding;
}

export interface StreamSource {
  /** Whether it holds several messages, one after the other. */
  readonly isRun: boolean;
  feed(chunk: Uint8Array): Read[];
  close(): Read[];
  /** What did not fit, as far as it is not in what was read; pointers begin with the number of a raw event. */
  readonly findings: readonly Finding[];
  readonly losses: readonly Loss[];
}

/** Tells whether what `as` names is a stream. */
export function isStream({ as = "", run = false, history = false }: As): boolean {
  return !history && (as === "deltas" || as === "chunks" || run || ADAPTERS.has(as));
}

/** Returns a reader of what `as` names; undefined where that is not a stream. `clock` times what has no time. */
export function streamSource(as: As, clock: () => string): StreamSource | undefined {
  if (as.as === "deltas") return new TextSource(false, readLine);
  if (as.as === "chunks") return chunkSource(clock);
  if (as.as === undefined || as.history === true) return undefined;
  if (as.run === true) return runSource(as.as);
  return ADAPTERS.has(as.as) ? new ProviderSource(as.as, clock) : undefined;
}

function readLine({ text }: FramedText): (MessageDelta | Unknown)[] {
  return /^\s*(\[DONE\]\s*)?$/.test(text) ? [] : [readDelta(text, "tolerant")];
}

function runSource(format: string): TextSource {
  const run = reader(format, { runId: "run" });
  return new TextSource(true, ({ text }) => run.feed(text), run);
}

function chunkSource(clock: () => string): TextSource {
  const converter = new ChunksToDeltas({ runId: "run", clock });
  const take = ({ text }: FramedText): MessageDelta[] =>
    /^\s*$/.test(text) ? [] : converter.feed(parseJson(text) as never);
  const ending = {
    finish: () => converter.close(),
    get losses() {
      return converter.losses;
    },
  };
  return new TextSource(false, take, ending);
}

/** A raw event that is text: it is parsed when somebody looks, as most events of a long stream are never looked at. */
class TextEvent implements RawEvent {
  readonly #text: string;
  readonly line: number;

  constructor({ text, line }: FramedText) {
    this.#text = text;
    this.line = line;
  }

  get value(): unknown {
    return jsonOrText(this.#text);
  }
}

/** Events that are JSON texts, each of which makes items. */
class TextSource implements StreamSource {
  readonly #framer = new Framer();
  #pending: RawEvent[] = [];

  constructor(
    readonly isRun: boolean,
    readonly take: (event: FramedText) => readonly RunItem[],
    readonly ending?: { finish(): readonly RunItem[]; readonly losses: readonly Loss[] },
  ) {}

  get findings(): readonly Finding[] {
    const { error } = this.#framer;
    return error === undefined ? [] : [error];
  }

  get losses(): readonly Loss[] {
    return this.ending?.losses ?? [];
  }

  feed(chunk: Uint8Array): Read[] {
    return this.#framer.feed(chunk).flatMap((event) => this.#read(event));
  }

  close(): Read[] {
    const last = this.#framer.feed().flatMap((event) => this.#read(event));
    return [...last, ...this.#items(() => this.ending?.finish() ?? [])];
  }

  #read(event: FramedText): Read[] {
    this.#pending.push(new TextEvent(event));
    return this.#items(() => this.take(event));
  }

  #items(make: () => readonly RunItem[]): Read[] {
    try {
      return make().map((item) => ({ item, events: this.#taken() }));
    } catch (error) {
      if (error instanceof SyntaxError) return [{ finding: notJson(error), events: this.#taken() }];
      if (!(error instanceof PartwireError)) throw error;
      return error.findings.slice(0, 1).map((finding) => ({ finding, events: this.#taken() }));
    }
  }

  #taken(): readonly RawEvent[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }
}

/** A provider's own stream, read by its adapter. */
class ProviderSource implements StreamSource {
  readonly isRun = false;
  readonly #bytes: ByteAdapter;
  readonly losses: readonly Loss[] = [];

  constructor(dialect: string, clock: () => string) {
    this.#bytes = new ByteAdapter(openAdapter(dialect, "run", { clock, keepRaw: true }));
  }

  get findings(): readonly Finding[] {
    return this.#bytes.adapter.findings;
  }

  feed(chunk: Uint8Array): Read[] {
    return this.#bytes.feed(chunk).map(withoutRaw);
  }

  close(): Read[] {
    return this.#bytes.close().map(withoutRaw);
  }
}

/** Returns a delta without the raw events that it carries, and these. */
function withoutRaw({ providerRaw, ...item }: MessageDelta): Read {
  const events = (providerRaw?.["events"] ?? []) as readonly unknown[];
  return { item: item as MessageDelta, events: events.map((value) => ({ value })) };
}

function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function notJson({ message }: SyntaxError): Finding {
  return { rule: "document/not-json", message, pointer: "", severity: "error" };
}

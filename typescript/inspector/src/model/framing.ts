/** Bytes of a text stream, in any cut → the text of each event: server-sent events, JSON Lines, or one array. */

import { type Finding, PartwireError } from "partwire";
import { JsonArrayDecoder, SseDecoder } from "partwire/providers/framing";

/** The text of one event, the name that its framing gives it, and why it may be incomplete. */
export interface FramedText {
  readonly text: string;
  readonly name: string;
  readonly line: number;
}

interface Decoder<Event> {
  feed(chunk: Uint8Array): Event[];
  close(): Event[];
  readonly error: { readonly findings: readonly Finding[] } | undefined;
}

const SPACE = [0x20, 0x09, 0x0d, 0x0a, 0xef, 0xbb, 0xbf];

interface RawItem {
  readonly data: Uint8Array;
  readonly number: number;
}

/**
 * Returns a reader of JSON Lines. It decodes what came as a whole and cuts it then: a line by itself costs more to
 * decode than to parse.
 */
function linesReader(): (chunk: Uint8Array | undefined) => FramedText[] {
  const decoder = new TextDecoder();
  let rest = "";
  let line = 0;
  return (chunk) => {
    const text = decoder.decode(chunk ?? new Uint8Array(0), { stream: chunk !== undefined });
    const lines = text.split("\n");
    lines[0] = rest + (lines[0] as string);
    rest = chunk === undefined ? "" : (lines.pop() as string);
    return lines.flatMap((each) => {
      line += 1;
      return /^[ \t\r]*$/.test(each) ? [] : [{ text: each, name: "", line }];
    });
  };
}

/** Cuts bytes into events by what their first character says. */
export class Framer {
  #read: ((chunk: Uint8Array | undefined) => FramedText[]) | undefined;
  #source: Decoder<unknown> | undefined;

  /** Why nothing more is read, if so. */
  get error(): Finding | undefined {
    return this.#source?.error?.findings[0];
  }

  /** Returns the events that `chunk` completes; without a chunk, those that the end of the input does. */
  feed(chunk?: Uint8Array): FramedText[] {
    const first = chunk?.find((byte) => !SPACE.includes(byte));
    if (this.#read === undefined && first !== undefined) this.#read = this.#reader(first);
    return this.#read?.(chunk) ?? [];
  }

  #reader(first: number): (chunk: Uint8Array | undefined) => FramedText[] {
    if (first !== 0x7b && first !== 0x5b) {
      return this.#reading(new SseDecoder(), ({ data, event, line }) => ({ text: data, name: event, line }));
    }
    if (first === 0x7b) return linesReader();
    const decoder = new TextDecoder();
    const textOf = ({ data, number }: RawItem): FramedText => ({ text: decoder.decode(data), name: "", line: number });
    return this.#reading(new JsonArrayDecoder(), textOf);
  }

  #reading<Event>(source: Decoder<Event>, textOf: (event: Event) => FramedText) {
    this.#source = source;
    return (chunk: Uint8Array | undefined): FramedText[] => {
      try {
        if (source.error === undefined) return (chunk === undefined ? source.close() : source.feed(chunk)).map(textOf);
      } catch (error) {
        // It is thrown where no event came before it; `error` has it in any case.
        if (!(error instanceof PartwireError)) throw error;
      }
      return [];
    };
  }
}

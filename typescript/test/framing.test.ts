import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FramingError, JsonLinesDecoder, type RawLine, SseDecoder, type SseEvent } from "../src/index.js";
import { ruleOf, thrown } from "./deltas.js";

const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);

interface Decoder<Event> {
  feed(chunk: Uint8Array): Event[];
  close(): Event[];
}
interface Outcome {
  readonly events: unknown[];
  readonly error?: string;
}

/** Feeds bytes cut at the given places; returns the events and what ended the stream. */
function decoded<Event>(decoder: Decoder<Event>, data: Uint8Array, cuts: readonly number[]): Outcome {
  const events: Event[] = [];
  let from = 0;
  try {
    for (const cut of [...cuts.filter((each) => each < data.length).sort((a, b) => a - b), data.length]) {
      events.push(...decoder.feed(data.slice(from, cut)));
      from = cut;
    }
    events.push(...decoder.close());
  } catch (error) {
    const { findings } = error as FramingError;
    return { events, error: JSON.stringify(findings) };
  }
  return { events };
}

const lines = (data: string): RawLine[] => {
  const decoder = new JsonLinesDecoder();
  return [...decoder.feed(bytes(data)), ...decoder.close()];
};
const events = (data: string): SseEvent[] => {
  const decoder = new SseDecoder();
  return [...decoder.feed(bytes(data)), ...decoder.close()];
};

const TOKENS = [
  "data: a",
  "data:",
  'data: {"é😀":1}',
  "event: x",
  "id: 7",
  "id: \0",
  "retry: 10",
  ": c",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  " ",
  "\ufeff",
  "\u2028",
  "x",
];
const streams = fc.oneof(
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 30 }).map((tokens) => bytes(tokens.join(""))),
  fc
    .array(
      fc.constantFrom(...TOKENS.map(bytes), Uint8Array.of(0xff), Uint8Array.of(0xe2, 0x82), Uint8Array.of(0xef, 0xbb)),
      { maxLength: 30 },
    )
    .map((pieces) => Uint8Array.from(pieces.flatMap((piece) => [...piece]))),
);

describe.each([
  ["JSON Lines", (limit: number) => new JsonLinesDecoder(limit) as Decoder<unknown>],
  ["server-sent events", (limit: number) => new SseDecoder(limit) as Decoder<unknown>],
])("%s", (_, make) => {
  test("are the same in whatever cut they come", () => {
    const cuts = fc.array(fc.nat(60), { maxLength: 6 });
    fc.assert(
      fc.property(streams, cuts, fc.constantFrom(2, 4, 12, 1000), (data, places, limit) => {
        const whole = decoded(make(limit), data, []);
        expect(decoded(make(limit), data, places)).toEqual(whole);
        expect(decoded(make(limit), data, [...data.keys()])).toEqual(whole);
      }),
      { numRuns: 1000 },
    );
  });

  test("are the same in a chunk of any size", () => {
    const event = bytes('id: 7\r\ndata: {"é😀":1}\r\ndata\r\n\r\n');
    const many = Uint8Array.from({ length: 150 * event.length }, (_, index) => event[index % event.length] as number);
    for (let shift = 0; shift < event.length; shift++) {
      const data = Uint8Array.from([...bytes(":".repeat(shift)), ...bytes("\n"), ...many, 0xff, 0x0a]);
      const cuts = Array.from({ length: data.length / 7 }, (_, index) => 7 * index);
      expect(decoded(make(1000), data, [])).toEqual(decoded(make(1000), data, cuts));
    }
  });

  test("want bytes, and none after close", () => {
    expect(ruleOf(() => make(0))).toBe("usage/invalid-argument");
    expect(ruleOf(() => make(9).feed("text" as unknown as Uint8Array))).toBe("usage/invalid-argument");
    const closed = make(9);
    expect([closed.close(), closed.close()]).toEqual([[], []]);
    expect(ruleOf(() => closed.feed(bytes("a")))).toBe("usage/invalid-argument");
  });
});

describe("a line", () => {
  test("ends with LF or CRLF alone, and blank ones count", () => {
    const text = (line: RawLine): [string, number, boolean] => [
      new TextDecoder().decode(line.data),
      line.number,
      line.terminated,
    ];
    expect(lines("\ufeff{}\r\n \t\n\n[\u2028\r1]\n2").map(text)).toEqual([
      ["{}", 1, true],
      ["[\u2028\r1]", 4, true],
      ["2", 5, false],
    ]);
  });

  test("is the reader's own: it outlives the chunk that it came in", () => {
    const chunk = Buffer.from("{}\n");
    const [line] = new JsonLinesDecoder().feed(chunk);
    chunk.fill(0);
    expect(new TextDecoder().decode(line?.data)).toBe("{}");
  });

  test("is bounded without its line end", () => {
    const decoder = new JsonLinesDecoder(2);
    expect(decoder.feed(bytes("ab\r\n")).length).toBe(1);
    expect(decoder.feed(bytes("c\nabc")).length).toBe(1);
    expect(decoder.error).toBeInstanceOf(FramingError);
    const error = thrown(() => decoder.feed(bytes(""))) as FramingError;
    expect([error.rule, error.findings[0].line]).toEqual(["framing/line-too-long", 3]);
  });

  test("belongs to its reader: what was fed may be filled anew", () => {
    const decoder = new JsonLinesDecoder();
    const chunk = bytes("ab\ncd");
    const first = decoder.feed(chunk);
    chunk.fill(0x78);
    expect([...first, ...decoder.feed(bytes("e\n"))].map((line) => new TextDecoder().decode(line.data))).toEqual([
      "ab",
      "cde",
    ]);
  });
});

describe("an event", () => {
  test("has type, id, retry and joined data", () => {
    expect(events("id: 1\nevent: e\ndata: a\ndata:  b\nretry: 5\n\n: keep\n\ndata\n\ndata: cut")).toEqual([
      { event: "e", data: "a\n b", id: "1", retry: 5, line: 1, terminated: true },
      { event: "message", data: "", id: "1", line: 9, terminated: true },
      { event: "message", data: "cut", id: "1", line: 11, terminated: false },
    ]);
  });

  test("in another encoding is refused, not repaired", () => {
    const decoder = new SseDecoder();
    const data = Uint8Array.from([...bytes("data: a\n\ndata: "), 0xc3, 0x28, ...bytes("\n\n")]);
    expect(decoder.feed(data).map((event) => event.data)).toEqual(["a"]);
    expect(decoder.error?.message).toMatch(/^line 3: Byte 15 of the stream is not UTF-8/);
  });

  test("is counted from the first byte, the byte order mark included", () => {
    const decoder = new SseDecoder();
    expect(decoder.feed(bytes("\ufeff: a\n"))).toEqual([]);
    const error = thrown(() => decoder.feed(Uint8Array.of(0xff, 0x0a))) as FramingError;
    expect(error.message).toMatch(/^line 2: Byte 7 of the stream/);
  });

  test("has lines that an empty chunk between CR and LF does not change", () => {
    const decoder = new SseDecoder();
    const made = ["\r", "", "\ndata: a\r\n\r", "", "\n"].flatMap((text) => decoder.feed(bytes(text)));
    expect(made).toEqual([{ event: "message", data: "a", id: "", line: 2, terminated: true }]);
    expect(decoder.linesRead).toBe(3);
  });

  test("that the end cuts in a character is cut there", () => {
    const decoder = new SseDecoder();
    decoder.feed(Uint8Array.from([...bytes("data: a"), 0xe2, 0x82]));
    expect(decoder.close()).toEqual([{ event: "message", data: "a", id: "", line: 1, terminated: false }]);
  });
});

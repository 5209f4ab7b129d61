/** Deltas of a response, as a client reads them: every framing, every cut, and every way to end. */
import { describe, expect, test } from "vitest";
import { type ByteSource, consumeStream, MessageAssembler, type MessageDelta, Unknown } from "../src/index.js";
import { Deltas } from "./deltas.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const make = new Deltas();
const DELTAS = [make.start(), make.text("Hé"), make.text("llo"), make.done()];
const sse = (deltas: readonly unknown[], event = "delta"): string =>
  deltas.map((delta, id) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(delta)}\n\n`).join("");
const jsonl = (deltas: readonly unknown[]): string => deltas.map((delta) => `${JSON.stringify(delta)}\n`).join("");

/** Reads a source to its end; returns the assembler, and what was yielded or thrown. */
async function consumed(source: ByteSource, options: Parameters<typeof consumeStream>[2] = {}) {
  const assembler = new MessageAssembler();
  const deltas: (MessageDelta | Unknown)[] = [];
  let error: { rule?: string; message?: string; findings?: { line?: number }[] } | undefined;
  try {
    for await (const delta of consumeStream(assembler, source, options)) deltas.push(delta);
  } catch (thrown) {
    error = thrown as NonNullable<typeof error>;
  }
  return { assembler, deltas, error };
}

test.each([
  ["events", sse(DELTAS)],
  ["events without a type", sse(DELTAS, "message")],
  ["events among comments, pings and other types", `: hi\n\n${sse([1], "ping")}${sse(DELTAS)}`],
  ["lines", jsonl(DELTAS)],
  ["lines, the last one without an end", jsonl(DELTAS).trimEnd()],
])("%s in any cut are the same deltas", async (_, wire) => {
  const bytes = encode(wire);
  for (const size of [1, 7, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, at * size + size),
    );
    const { assembler, deltas, error } = await consumed(chunks);
    expect([error, deltas]).toEqual([undefined, DELTAS]);
    expect(assembler.buildFinalMessage().parts).toEqual([{ kind: "text", payload: { text: "Héllo" } }]);
  }
});

describe("bytes come", () => {
  const bytes = encode(sse(DELTAS));

  test("at once, in pieces, by and by, and as a stream that cannot be iterated over", async () => {
    const later = (async function* () {
      yield bytes;
    })();
    const body = new Response(Buffer.from(bytes)).body as ReadableStream<Uint8Array>;
    const bare = { getReader: () => (new Response(Buffer.from(bytes)).body as ReadableStream<Uint8Array>).getReader() };
    for (const source of [bytes, [bytes], later, body, bare as ReadableStream<Uint8Array>]) {
      expect((await consumed(source)).deltas).toEqual(DELTAS);
    }
  });

  test("never as text", async () => {
    for (const source of ["data: {}", ["data: {}"], 4, undefined, { body: null }]) {
      const { error } = await consumed(source as never);
      expect(error?.rule).toBe("usage/invalid-argument");
    }
    expect((await consumed(["a"] as never)).error?.message).toContain("such as response.body");
  });

  test("no longer than somebody reads", async () => {
    let cancelled = 0;
    const read = async (): Promise<object> => ({ done: false, value: bytes });
    const cancel = async (): Promise<void> => void cancelled++;
    const bare = { getReader: () => ({ read, cancel }) } as unknown as ReadableStream<Uint8Array>;
    for await (const _ of consumeStream(new MessageAssembler(), bare)) break;
    expect(cancelled).toBe(1);
  });
});

describe("a response that ends early", () => {
  test.each([
    ["between events", sse(DELTAS.slice(0, 2))],
    ["inside an event", sse(DELTAS.slice(0, 3)).trimEnd()],
    ["inside a line", jsonl(DELTAS).slice(0, -9)],
    ["before anything", ""],
  ])("%s is cut, and leaves a part of a message at most", async (_, wire) => {
    const { assembler, error } = await consumed(encode(wire));
    expect(error?.rule).toBe("stream/truncated");
    if (wire !== "") expect(assembler.buildPartial().meta?.incomplete?.ending).toBe("truncated");
  });

  test("has no body at all", async () => {
    expect((await consumed(null)).error?.rule).toBe("stream/truncated");
  });
});

describe("what does not fit", () => {
  test.each([
    ["what is not JSON", "{", "document/invalid-json"],
    ["what is not an object", "[]", "stream/invalid-delta"],
    ["a delta before start", JSON.stringify(DELTAS[1]), "stream/start-expected"],
  ])("is refused with its line: %s", async (_, data, rule) => {
    const { error } = await consumed(encode(`: 1\n\ndata: ${data}\n\n`));
    expect([error?.rule, error?.findings?.[0]?.line]).toEqual([rule, 3]);
    expect(error?.message).toMatch(/^line 3: /);
  });

  test("is a kind of a newer peer, unless reading is tolerant", async () => {
    const wave = { ...DELTAS[1], kind: "wave", payload: {} };
    const wire = encode(sse([DELTAS[0], wave, ...DELTAS.slice(2)]));
    expect((await consumed(wire)).error?.rule).toBe("stream/invalid-delta");
    const { assembler, deltas, error } = await consumed(wire, { mode: "tolerant" });
    expect([error, deltas[1] instanceof Unknown]).toEqual([undefined, true]);
    expect(assembler.findings.map((each) => each.rule)).toEqual(["stream/unknown-delta-kind"]);
  });

  test("is an option that does not exist", async () => {
    expect((await consumed(null, { mode: "lax" as never })).error?.rule).toBe("usage/invalid-argument");
    expect((await consumed(null, { framing: "xml" as never })).error?.rule).toBe("usage/invalid-argument");
  });
});

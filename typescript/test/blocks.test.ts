/** Chunks to deltas and back, and responses collected: what the fixtures do not reach. */
import { describe, expect, test } from "vitest";
import {
  type Chunk,
  ChunkCollector,
  ChunksToDeltas,
  collect,
  collectChunks,
  DeltasToChunks,
  type ResponseFailed,
} from "../src/blocks/index.js";
import { assemble, StreamFailed, type StreamProtocolError, Unknown, validate } from "../src/index.js";
import { Deltas, ruleOf, thrown } from "./deltas.js";

const start = (index: number): Chunk => ({ type: "content_block_start", index });
const text = (index: number, delta: string): Chunk => ({ type: "content_block_delta", index, delta });
const stop = (index: number): Chunk => ({ type: "content_block_stop", index });
const call = (tool_use_id: string, parameters = {}): Chunk => ({
  type: "tool_use",
  tool_name: "search",
  tool_use_id,
  parameters,
});
const end: Chunk = { type: "message_stop", usage: { input_tokens: 1, output_tokens: 2 } };
const failed: Chunk = { type: "error", message: "overloaded" };

const clock = (): string => "2026-01-02T03:04:05Z";
const toDeltas = (): ChunksToDeltas => new ChunksToDeltas({ runId: "run_1", clock });
const placed = (error: unknown): unknown[] => {
  const { findings, seq, limit } = error as StreamProtocolError;
  return [findings[0].rule, findings[0].pointer, seq, limit];
};

describe("collecting", () => {
  test("blocks are in the order of their start, whenever they are written", async () => {
    const chunks = [start(0), start(4), text(4, "b"), call("c1", { q: 1 }), text(0, "a"), stop(4), stop(0), end];
    const response = collectChunks(chunks);
    expect(response).toEqual({
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
        { type: "tool_use", tool_use_id: "c1", tool_name: "search", parameters: { q: 1 } },
      ],
      usage: { input_tokens: 1, output_tokens: 2 },
    });
    expect(validate(response, "blocks.ModelResponse")).toEqual([]);
  });

  test("a response shares nothing with its chunks, and names are data", () => {
    const parameters = JSON.parse('{"__proto__": {"a": 1}, "list": [1]}') as { list: number[] };
    const collector = new ChunkCollector();
    collector.feed(call("c1", parameters));
    parameters.list.push(2);
    const [block] = collector.content();
    expect(JSON.stringify(block)).toContain('"parameters":{"__proto__":{"a":1},"list":[1]}');
  });

  test("an error chunk throws with what arrived", () => {
    const error = thrown(() => collectChunks([start(0), text(0, "par"), failed])) as ResponseFailed;
    expect(error).toBeInstanceOf(StreamFailed);
    expect(error.rule).toBe("blocks/failed");
    expect(error.error).toEqual(failed);
    expect(error.partial).toEqual({ role: "assistant", content: [{ type: "text", text: "par" }] });
  });

  test("a stream is read to its end, not further, and closed whatever happens", async () => {
    const seen: string[] = [];
    async function* stream(chunks: Chunk[]): AsyncGenerator<Chunk> {
      try {
        yield* chunks;
        seen.push("read on");
      } finally {
        seen.push("closed");
      }
    }
    await collect(stream([end, end]));
    await expect(collect(stream([stop(0)]))).rejects.toMatchObject({ rule: "blocks/block-not-open" });
    await expect(collect(stream([failed]))).rejects.toMatchObject({ rule: "blocks/failed" });
    expect(seen).toEqual(["closed", "closed", "closed"]);
    await expect(collect(stream([]))).rejects.toMatchObject({ rule: "blocks/truncated" });
  });

  test("unknown types are passed over, and named once", () => {
    const collector = new ChunkCollector();
    for (const tag of ["image", "image", "audio"]) collector.feed(new Unknown("type", tag, { type: tag }));
    expect(collector.findings.map(({ rule, pointer, severity }) => [rule, pointer, severity])).toEqual([
      ["blocks/unknown-chunk", "/type", "warning"],
      ["blocks/unknown-chunk", "/type", "warning"],
    ]);
  });

  test("a refused chunk changes nothing", () => {
    const collector = new ChunkCollector({ limits: { textBytes: 5, idChars: 3 } });
    collector.feed(start(1));
    const refused: [unknown, unknown[]][] = [
      [null, ["blocks/invalid-chunk", ""]],
      [{ type: "image" }, ["blocks/invalid-chunk", ""]],
      [start(1), ["blocks/index-not-increasing", "/index"]],
      [start(1.5), ["blocks/invalid-chunk", "/index"]],
      [start(2 ** 53), ["blocks/invalid-chunk", "/index"]],
      [text(0, "x"), ["blocks/block-not-open", "/index"]],
      [text(1, "\ud800"), ["blocks/invalid-chunk", "/delta"]],
      [{ type: "content_block_delta", index: 1 }, ["blocks/invalid-chunk", "/delta"]],
      [text(1, "ééé"), ["stream/limit-exceeded", "/delta"]],
      [call("long"), ["stream/limit-exceeded", "/tool_use_id"]],
      [call("c", { n: Number.NaN }), ["blocks/invalid-chunk", "/parameters/n"]],
      [{ ...call("c"), tool_name: "" }, ["blocks/invalid-chunk", "/tool_name"]],
      [{ type: "message_stop" }, ["blocks/invalid-chunk", ""]],
      [end, ["blocks/block-open", ""]],
      [new Unknown("type", "error", { type: "error" }), ["blocks/invalid-chunk", "/type"]],
    ];
    for (const [chunk, place] of refused) {
      expect(placed(thrown(() => collector.feed(chunk as Chunk))).slice(0, 2)).toEqual(place);
    }
    collector.feed(text(1, "éa"));
    collector.feed(call("😀😀😀"));
    collector.feed(stop(1));
    collector.feed(end);
    expect(placed(thrown(() => collector.feed(start(9))))).toEqual(["blocks/after-terminal", "/type", 20, undefined]);
    expect(collector.close().content).toHaveLength(2);
  });
});

describe("chunks to deltas", () => {
  test("members that reading left out are reported in the order of a document", () => {
    const converter = new ChunksToDeltas({ runId: "run_1", clock, modelId: "m", requestId: "q" });
    converter.feed(start(0));
    converter.noteUnknownMembers(["/cite", "/10", "/9", "/\u{1f600}", "/\uff5e"]);
    expect(converter.losses.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(
      ["/0/9", "/0/10", "/0/cite", "/0/\uff5e", "/0/\u{1f600}"].map((each) => `unknown-member ${each}`),
    );
  });

  test("an assembler takes what comes out, also of a stream that was cut", () => {
    const converter = new ChunksToDeltas({ runId: "run_1", clock, messageId: "m1", turnId: "t1", modelId: "m" });
    const deltas = [start(0), start(1), text(1, "late"), text(0, "first"), stop(0)].flatMap((each) =>
      converter.feed(each),
    );
    expect(deltas.map(({ kind, seq, messageId }) => [kind, seq, messageId])).toEqual([
      ["start", 0, "m1"],
      ["text", 1, "m1"],
      ["text", 2, "m1"],
    ]);
    deltas.push(...converter.close());
    expect(converter.close()).toEqual([]);
    expect(converter.ended).toBe(true);
    const error = thrown(() => assemble(deltas)) as StreamFailed;
    expect(error.error.errorCode).toBe("truncated_stream");
    expect(error.partial.parts).toEqual([{ kind: "text", payload: { text: "firstlate" } }]);
    expect(converter.losses.map(({ code, pointer }) => code + pointer)).toEqual([
      "no-request-id",
      "held-back/2",
      "block-boundary/1",
      "truncated/5",
    ]);
    expect(ruleOf(() => converter.feed(start(2)))).toBe("blocks/after-terminal");
  });

  test("numbers in arguments are written as in every language, and texts are left alone", () => {
    const deltas = toDeltas().feed(call("c1", { a: 1e21, b: -0.0000015, c: '0.000001 "e+', d: 0.00001, e: 1e-7 }));
    expect(deltas[2]?.payload).toMatchObject({
      argsTextDelta: '{"a":1e21,"b":-1.5e-6,"c":"0.000001 \\"e+","d":0.00001,"e":1e-7}',
    });
  });

  test("of one loss the first hundred are kept, and the others counted", () => {
    const converter = toDeltas();
    converter.feed(start(0));
    for (let count = 0; count < 130; count++) converter.feed(text(0, ""));
    expect(converter.losses.filter(({ code }) => code === "empty-delta")).toHaveLength(100);
    expect([...converter.leftOut]).toEqual([["empty-delta", 30]]);
  });

  test("ids are strings that a delta may have", () => {
    for (const runId of ["", "\ud800", 1, "x".repeat(513)]) {
      expect(ruleOf(() => new ChunksToDeltas({ runId: runId as string, clock }))).toBe("usage/invalid-argument");
    }
    const most = { limits: { idChars: 2 }, clock };
    expect(ruleOf(() => new ChunksToDeltas({ runId: "ab", turnId: "abc", ...most }))).toBe("usage/invalid-argument");
    expect(new ChunksToDeltas({ runId: "😀😀", ...most }).feed(start(0))).toHaveLength(1);
  });

  test("many blocks at once take the time of what they hold", () => {
    const converter = toDeltas();
    const many = 20_000;
    for (let index = 0; index < many; index++) converter.feed(start(index));
    for (let index = many - 1; index > 0; index--) {
      converter.feed(text(index, "x"));
      converter.feed(stop(index));
    }
    expect(converter.feed(stop(0))).toHaveLength(many - 1);
  });
});

describe("deltas to chunks", () => {
  test("there and back gives the same deltas", () => {
    const made = new Deltas();
    const deltas = [made.start(), made.text("a"), made.call("c1"), made.args("c1", '{"x":1}'), made.end("c1")];
    const there = new DeltasToChunks();
    const chunks = [...deltas, made.usage(2), made.done()].flatMap((each) => there.feed(each));
    expect(chunks.map(({ type }) => type)).toEqual([
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "tool_use",
      "message_stop",
    ]);
    expect(there.losses.map(({ code }) => code)).toEqual([
      "run-id",
      "timestamp",
      "model-id",
      "request-id",
      "finish-reason",
    ]);
    const back = toDeltas();
    const kinds = chunks.flatMap((each) => back.feed(each)).map(({ kind }) => kind);
    expect(kinds).toEqual([...deltas, made.usage(2), made.done()].map(({ kind }) => kind));
  });

  test("text behind a call that is open waits, and comes when the stream fails", () => {
    const made = new Deltas();
    const converter = new DeltasToChunks({ runId: "run_1" });
    const before = [made.start(), made.call("c1"), made.text("after")].flatMap((each) => converter.feed(each));
    expect(before).toEqual([]);
    expect(ruleOf(() => converter.feed(made.done()))).toBe("stream/tool-call-open");
    const chunks = converter.close();
    expect(chunks.map(({ type }) => type)).toEqual(["content_block_start", "content_block_delta", "error"]);
    expect(converter.losses.slice(-3).map(({ code, pointer }) => code + pointer)).toEqual([
      "held-back/2",
      "open-tool-call/1",
      "truncated/4",
    ]);
    expect(ruleOf(() => converter.feed(made.text("x")))).toBe("stream/after-terminal");
    expect(ruleOf(() => new DeltasToChunks({ runId: "" }))).toBe("usage/invalid-argument");
  });
});

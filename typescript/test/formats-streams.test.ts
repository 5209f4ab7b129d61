/** Streams of other formats: runs as histories, and AI SDK's stream wherever it is split or cut. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as aiSdk from "../src/formats/ai-sdk/index.js";
import {
  Branch,
  type FormatContext,
  PartwireError,
  RunAssembler,
  type RunItem,
  reader,
  writer,
} from "../src/formats/index.js";
import { type Message, type MessageDelta, read, validate } from "../src/index.js";
import { SseDecoder } from "../src/providers/framing/index.js";
import { message } from "./convert-documents.js";
import { Deltas, ruleOf } from "./deltas.js";
import { ROOT } from "./fixtures.js";

type Json = Record<string, unknown>;

interface Case {
  readonly name: string;
  readonly context?: FormatContext;
  readonly events?: readonly unknown[];
  readonly items?: readonly unknown[];
  readonly expect: Json;
}

const TIME = "2026-01-02T03:04:05Z";
const CONTEXT = { runId: "run_1", timestamp: TIME };
const { cases } = JSON.parse(readFileSync(join(ROOT, "fixtures", "formats", "ai-sdk-streams.json"), "utf8")) as {
  readonly cases: readonly Case[];
};
const user = { runId: "run_1", role: "user", parts: [{ kind: "text", payload: { text: "b" } }], timestamp: TIME };

/** Texts of messages, part by part. */
const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? part.payload.text : part.kind)));

const endingOf = (message: Message | undefined): unknown =>
  (message?.meta as { incomplete?: { ending: string } } | undefined)?.incomplete?.ending;

describe("a run", () => {
  const deltas = new Deltas();
  const [start, text, done] = [deltas.start(), deltas.text("a"), deltas.done()];

  test("has each message at the place at which its stream began", () => {
    const run = new RunAssembler().feedAll([start, text, user, done]);
    expect(texts(run.messages)).toEqual(["a", "b"]);
    expect(run.finish()).toEqual(run.messages);
  });

  test("has no message yet of a stream that is open", () => {
    const run = new RunAssembler().feedAll([start, text]);
    expect(run.messages).toEqual([]);
    expect(run.open?.status).toBe("started");
  });

  test.each([{ rest: [] }, { rest: [start, text, done] }])("marks a message that is cut: %o", ({ rest }) => {
    const run = new RunAssembler().feedAll([start, text, ...rest]);
    expect(endingOf(run.finish()[0])).toBe("truncated");
    expect(run.cuts.map(({ rule }) => rule)).toEqual(["stream/truncated"]);
  });

  test("marks a message that failed, and says why", () => {
    const failing = new Deltas();
    const run = new RunAssembler().feedAll([failing.start(), failing.text("a"), failing.error("overloaded")]);
    expect(run.failures.map(({ error }) => error.errorCode)).toEqual(["overloaded"]);
    expect(endingOf(run.messages[0])).toBe("error");
  });

  test("takes lines, bytes and whole messages", () => {
    const lines = [start, text, done].map((each) => JSON.stringify(each));
    const run = new RunAssembler().feedAll([...lines, "\n", new TextEncoder().encode(JSON.stringify(user))]);
    expect(texts(run.messages)).toEqual(["a", "b"]);
    expect(new RunAssembler().feedAll(run.finish()).messages).toEqual(run.messages);
  });

  test("refuses what is wrong, and goes on", () => {
    const run = new RunAssembler();
    expect(ruleOf(() => run.feed({ role: "nobody" }))).toMatch(/^shape\//);
    expect(ruleOf(() => run.feed({ kind: "text" }))).toMatch(/^shape\//);
    expect(ruleOf(() => run.feed(text))).toBe("stream/start-expected");
    run.feedAll([start, text]);
    expect(ruleOf(() => run.feed(text))).toBe("stream/seq-not-increasing");
    run.feed(done);
    expect(texts(run.messages)).toEqual(["a"]);
  });

  test("keeps parts that tolerant reading has kept aside", () => {
    const odd = { ...user, role: "assistant", parts: [{ kind: "hologram", payload: {} }] };
    const message = read(odd, "message.Message", { mode: "tolerant" });
    expect(new RunAssembler().feedAll([message]).messages).toEqual([message]);
    expect(ruleOf(() => new RunAssembler().feed(odd))).toMatch(/^shape\//);
    expect(ruleOf(() => writer("ai-sdk").feed(message))).toMatch(/^shape\//);
  });

  test("follows branches", () => {
    const said = (word: string): Json => ({ ...user, parts: [{ kind: "text", payload: { text: word } }] });
    const run = new RunAssembler().feedAll([said("a"), said("b"), new Branch(0), said("c")]);
    expect(texts(run.messages)).toEqual(["a", "c"]);
    expect(texts(run.feedAll([new Branch(1), said("d"), new Branch(99), said("e")]).messages)).toEqual([..."abde"]);
    expect(texts(run.feedAll([new Branch(undefined), said("f")]).messages)).toEqual(["f"]);
  });
});

// --- AI SDK's stream ------------------------------------------------------------------------------

interface Read {
  readonly messages: Message[];
  readonly run: RunAssembler;
}

function readAll(events: readonly unknown[], context: FormatContext = CONTEXT): Read {
  const stream = reader("ai-sdk", context);
  const run = new RunAssembler();
  for (const event of events) run.feedAll(stream.feed(event));
  run.feedAll(stream.finish());
  return { messages: run.finish(), run };
}

const typeOf = (event: unknown): unknown => (event as { type?: unknown }).type;
const isEnd = (event: unknown): boolean =>
  typeOf(event) === "finish" || (typeof event === "string" && /\[DONE\]|"finish"/.test(event));
const streams = cases.filter((each) => each.events !== undefined && !("error" in each.expect));

describe.each(streams)("$name", ({ events = [], context = CONTEXT }) => {
  test("is never finished where it is cut", () => {
    const first = events.findIndex(isEnd);
    for (let end = 1; end <= (first < 0 ? events.length : first); end++) {
      const { messages, run } = readAll(events.slice(0, end), context);
      const last = messages.filter(({ role }) => role === "assistant").at(-1);
      if (last === undefined) continue;
      expect(endingOf(last), `cut before ${end}`).toBe("error");
      expect(run.failures.length).toBeGreaterThan(0);
    }
  });

  test("says the same however its texts are split", () => {
    const pieces = events.flatMap((event) => {
      const chunk = event as Json;
      const member = ["delta", "inputTextDelta"].find((name) => typeof chunk[name] === "string");
      if (member === undefined || chunk[member] === "") return [event];
      return [...(chunk[member] as string)].map((piece) => ({ ...chunk, [member]: piece }));
    });
    expect(readAll(pieces, context).messages).toEqual(readAll(events, context).messages);
  });
});

test("the bytes of a stream may be split anywhere", () => {
  const [whole] = streams.filter(({ name }) => name === "ai-sdk/stream-steps");
  const events = whole?.events ?? [];
  const bytes = new TextEncoder().encode(events.map(aiSdk.sse).join("") + aiSdk.sseEnd());
  const expected = readAll(events).messages;
  const cuts = fc.array(fc.nat(bytes.length), { maxLength: 12 });
  fc.assert(
    fc.property(cuts, (places) => {
      const decoder = new SseDecoder();
      const at = [0, ...places.sort((one, other) => one - other), bytes.length];
      const found = at.flatMap((from, index) => decoder.feed(bytes.subarray(from, at[index + 1] ?? from)));
      expect(readAll(found.map(({ data }) => data)).messages).toEqual(expected);
    }),
  );
});

const own = fc.dictionary(fc.constantFrom("opaque", "citation", "result", "media"), fc.jsonValue());
const chunk = fc.record(
  {
    type: fc.constantFrom(
      ...["start", "start-step", "finish-step", "finish", "abort", "error", "reset-step", "message-metadata"],
      ...["text-start", "text-delta", "text-end", "reasoning-start", "reasoning-delta", "reasoning-end", "data-x"],
      ...["tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error", "file"],
      ...["tool-output-available", "tool-output-error", "tool-output-denied", "source-url", "source-document"],
      ...["tool-approval-request", "tool-approval-response", "steering-message", "__proto__"],
    ),
    id: fc.constantFrom<unknown>("1", "2", 3),
    toolCallId: fc.constantFrom("c1", "c2", "", null),
    toolName: fc.constantFrom("t", ""),
    approvalId: fc.constantFrom("a1", "a2"),
    delta: fc.oneof(fc.string(), fc.jsonValue()),
    inputTextDelta: fc.constantFrom<unknown>("x", "{}", 1),
    input: fc.jsonValue(),
    output: fc.jsonValue(),
    url: fc.constantFrom<unknown>("x", "data:image/png;base64,iVBORw0KGgo=", 5),
    title: fc.jsonValue(),
    parts: fc.constantFrom<unknown>([], [{ type: "text", text: "Hi" }], [{ type: "tool-x" }], 5),
    approved: fc.boolean(),
    preliminary: fc.boolean(),
    providerExecuted: fc.boolean(),
    mediaType: fc.constantFrom<unknown>("image/png", "x", 5),
    providerMetadata: fc.oneof(
      fc.jsonValue(),
      fc.constant({ anthropic: { signature: "s" } }),
      fc.constant({ openai: { itemId: "i" } }),
      own.map((partwire) => ({ partwire })),
    ),
    messageMetadata: fc
      .record({
        kind: fc.constantFrom("start", "usage", "done", "error", "text"),
        timestamp: fc.constantFrom<unknown>(TIME, "yesterday", 1),
        payload: fc.constantFrom<unknown>(
          { modelId: "m", requestId: "r" },
          { finishReason: "stop" },
          { errorCode: "x" },
          1,
        ),
      })
      .map((said) => ({ partwire: { messages: { 0: { said: { 1: said } } } } })),
  },
  { requiredKeys: ["type"] },
);

test("whatever comes, each item is one that a run takes", () => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 25 }), (chunks) => {
      const stream = reader("ai-sdk");
      const run = new RunAssembler();
      for (const each of chunks) {
        let items: RunItem[] = [];
        try {
          items = stream.feed(each);
        } catch (error) {
          if (!(error instanceof PartwireError)) throw error;
        }
        run.feedAll(items);
      }
      run.feedAll(stream.finish()).finish();
    }),
    { numRuns: 1000 },
  );
});

const valid = message.filter((each) => !validate(each, "message.Message").some(({ severity }) => severity === "error"));

/** Checks that all of the items is read back of what is written for them, but for what is reported. */
function comesBack(items: readonly unknown[], version: string, extensions: boolean): void {
  const stream = aiSdk.writer({ version, extensions });
  const events = [...items.flatMap((item) => stream.feed(item)), ...stream.finish()];
  const { messages } = readAll([...events.map(aiSdk.sse), aiSdk.sseEnd()]);
  const back = (JSON.parse(JSON.stringify(messages)) as Message[]).flatMap(({ parts }) => parts); // without digits
  const lost = new Set(stream.losses.map(({ pointer }) => pointer));
  for (const [number, { parts }] of new RunAssembler().feedAll(items).finish().entries()) {
    for (const [at, { kind, payload }] of parts.entries()) {
      const place = `/${number}/parts/${at}`;
      if (lost.has(`/${number}`) || lost.has(place)) continue;
      const kept = Object.entries(payload).filter(([name]) => !lost.has(`${place}/payload/${name}`));
      expect(back).toContainEqual({ kind, payload: expect.objectContaining(Object.fromEntries(kept)) });
    }
  }
  expect(stream.finish()).toEqual([]);
}

describe.each(["5", "6", "7"])("what is written for version %s comes back but for what is reported", (version) => {
  const written = cases.filter((each) => each.items !== undefined && !("error" in each.expect));

  test.each(written)("$name", ({ items = [] }) => {
    comesBack(items, version, false);
    comesBack(items, version, true);
  });

  test.each([false, true])("drawn messages, extensions: %s", (extensions) => {
    fc.assert(fc.property(fc.array(valid, { maxLength: 3 }), (items) => comesBack(items, version, extensions)));
  });
});

test("a refused item changes nothing", () => {
  const deltas = new Deltas();
  const stream = aiSdk.writer();
  stream.feed(deltas.start());
  const text = deltas.text("a");
  expect(ruleOf(() => stream.feed({ ...text, runId: "another" }))).toBe("stream/run-id-mismatch");
  expect(stream.feed(text).map(typeOf)).toEqual(["text-start", "text-delta"]);
});

test("a long stream takes time in proportion", () => {
  const pieces = Array.from({ length: 20_000 }, (_, id) => [
    { type: "text-start", id: String(id) },
    { type: "text-delta", id: String(id), delta: "a" },
  ]).flat();
  const ends = Array.from({ length: 20_000 }, (_, id) => ({ type: "text-end", id: String(19_999 - id) }));
  const { messages } = readAll([{ type: "start" }, ...pieces, ...ends, { type: "finish" }]);
  expect(texts(messages)).toEqual(["a".repeat(20_000)]);

  const deltas = new Deltas();
  const stream = aiSdk.writer();
  stream.feed(deltas.start());
  for (let count = 0; count < 20_000; count++) stream.feed(deltas.text("a"));
  stream.feed(deltas.done());
  expect(stream.finish().map(typeOf)).toEqual(["finish"]);
});

// --- the body of a response -----------------------------------------------------------------------

describe("the body of a response", () => {
  async function* answer(fails = false): AsyncGenerator<MessageDelta, void, undefined> {
    const deltas = new Deltas();
    yield deltas.start();
    yield deltas.text("It ");
    if (fails) throw new RangeError("secret");
    yield deltas.text("rains.");
    yield deltas.done();
  }

  const chunksOf = (text: string): unknown[] =>
    text.split("\n\n").flatMap((event) => (event.startsWith("data: {") ? [JSON.parse(event.slice(6))] : []));

  test("has the chunks of its items, and the end", async () => {
    const stream = aiSdk.writer({ version: "6" });
    const response = new Response(aiSdk.body(answer(), { writer: stream }), { headers: aiSdk.HEADERS });
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    const text = await response.text();
    expect(text.endsWith('data: {"type":"finish","finishReason":"stop"}\n\ndata: [DONE]\n\n')).toBe(true);
    expect(texts(readAll(chunksOf(text)).messages)).toEqual(["It rains."]);
    expect(stream.losses.map(({ code }) => code)).toContain("timestamp");
  });

  test("says that it was cut, and not why, where its source throws", async () => {
    const errors: unknown[] = [];
    const text = await new Response(aiSdk.body(answer(true), { onError: (error) => errors.push(error) })).text();
    expect(text).not.toContain("secret");
    expect(chunksOf(text).map(typeOf).slice(-2)).toEqual(["error", "finish"]);
    expect(errors).toEqual([new RangeError("secret")]);
    expect(endingOf(readAll(chunksOf(text)).messages[0])).toBe("error");
  });

  test("says so before the first message, too", async () => {
    async function* none(): AsyncGenerator<MessageDelta, void, undefined> {
      yield* [];
      throw new RangeError("secret");
    }
    const text = await new Response(aiSdk.body(none(), { onError: () => undefined })).text();
    expect(chunksOf(text).map(typeOf)).toEqual(["start", "error", "finish"]);
  });

  test("fails behind what it says, where nobody takes the error", async () => {
    const pieces: string[] = [];
    const decoder = new TextDecoder();
    await expect(async () => {
      const read = aiSdk.body(answer(true)).getReader();
      for (let next = await read.read(); !next.done; next = await read.read()) pieces.push(decoder.decode(next.value));
    }).rejects.toThrow(RangeError);
    expect(pieces.at(-1)).toContain("[DONE]");
  });

  test("ends its source where its reader goes away", async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<MessageDelta, void, undefined> {
      const deltas = new Deltas();
      try {
        yield deltas.start();
        for (;;) yield deltas.text("a");
      } finally {
        ended = true;
      }
    }
    const read = aiSdk.body(endless()).getReader();
    await read.read();
    await read.read();
    await read.cancel();
    expect(ended).toBe(true);
  });
});

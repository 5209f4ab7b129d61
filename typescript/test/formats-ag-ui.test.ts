/** AG-UI: its stream wherever it is split or cut, whatever comes, and the body of a response. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as agUi from "../src/formats/ag-ui/index.js";
import { type Message, type MessageDelta, validate } from "../src/index.js";
import { SseDecoder } from "../src/providers/framing/index.js";
import { message } from "./convert-documents.js";
import { Deltas, ruleOf } from "./deltas.js";
import { ROOT } from "./fixtures.js";

type Json = Record<string, unknown>;

interface Case {
  readonly name: string;
  readonly context?: agUi.FormatContext;
  readonly source?: unknown;
  readonly events?: readonly unknown[];
  readonly items?: readonly unknown[];
  readonly expect: Json;
}

const CONTEXT = { runId: "run_1", timestamp: "2026-01-02T03:04:05Z" };
const casesOf = (file: string): readonly Case[] =>
  (JSON.parse(readFileSync(join(ROOT, "fixtures", "formats", file), "utf8")) as { cases: readonly Case[] }).cases;
const cases = casesOf("ag-ui-streams.json");
const streams = cases.filter((each) => each.events !== undefined && !("error" in each.expect));
const written = cases.filter((each) => each.items !== undefined && !("error" in each.expect));

interface Read {
  readonly messages: Message[];
  readonly run: agUi.RunAssembler;
}

function readAll(events: readonly unknown[], context: agUi.FormatContext = CONTEXT): Read {
  const stream = agUi.reader(context);
  const run = new agUi.RunAssembler();
  for (const event of events) run.feedAll(stream.feed(event));
  run.feedAll(stream.finish());
  return { messages: run.finish(), run };
}

const typeOf = (event: unknown): unknown => (event as { type?: unknown }).type;
const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? part.payload.text : part.kind)));
/** Without what is kept beside a number of JavaScript: the digits that were read. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const endingOf = (message: Message | undefined): unknown =>
  (message?.meta as { incomplete?: { ending: string } } | undefined)?.incomplete?.ending;

// --- reading --------------------------------------------------------------------------------------

const isEnd = (event: unknown): boolean =>
  typeof event === "string"
    ? /RUN_FINISHED|RUN_ERROR/.test(event)
    : /^RUN_(?:FINISHED|ERROR)$/.test(`${typeOf(event)}`);

describe.each(streams)("$name", ({ events = [], context = CONTEXT }) => {
  test("is never finished where it is cut", () => {
    const first = events.findIndex(isEnd);
    for (let end = 1; end <= (first < 0 ? events.length : first); end++) {
      const { messages, run } = readAll(events.slice(0, end), context);
      const last = messages.at(-1);
      // A run of whole messages that have ended says so by a message of its own; and ours says itself where it ends.
      if (last === undefined || typeOf(events[end - 1]) === "CUSTOM") continue;
      if (run.failures.length > 0)
        expect(endingOf(messages.filter(({ role }) => role === "assistant").at(-1))).toBe("error");
    }
  });

  test("says the same however its texts are split", () => {
    const pieces = events.flatMap((event) => {
      const { delta, ...rest } = event as Json;
      const isText = typeof delta === "string" && delta !== "" && !`${rest["type"]}`.endsWith("_CHUNK");
      return isText ? [...delta].map((piece) => ({ ...rest, delta: piece })) : [event];
    });
    expect(readAll(pieces, context).messages).toEqual(readAll(events, context).messages);
  });

  test("is a history as a list", () => {
    if (typeof events[0] === "string" || events.length === 0) return;
    expect(agUi.read(events, context).messages).toEqual(readAll(events, context).messages);
  });
});

test("the bytes of a stream may be split anywhere", () => {
  const { events = [] } = streams.find(({ name }) => name === "ag-ui/stream-reasoning") ?? {};
  const bytes = new TextEncoder().encode(events.map(agUi.sse).join(""));
  const expected = readAll(events).messages;
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (places) => {
      const decoder = new SseDecoder();
      const at = [0, ...places.sort((one, other) => one - other), bytes.length];
      const found = at.flatMap((from, index) => decoder.feed(bytes.subarray(from, at[index + 1] ?? from)));
      expect(readAll(found.map(({ data }) => data)).messages).toEqual(expected);
    }),
  );
});

/** A stream, some of whose events are lost, doubled, elsewhere, or of another stream, or say something else. */
const damaged = fc
  .record({
    events: fc.constantFrom(...streams.map(({ events = [] }) => events)),
    others: fc.constantFrom(...streams.map(({ events = [] }) => events)),
    changes: fc.array(
      fc.record({
        how: fc.constantFrom("drop", "double", "swap", "foreign", "say"),
        at: fc.nat(40),
        to: fc.nat(40),
        value: fc.oneof(fc.jsonValue(), fc.constantFrom("m", "c", "")),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ events, others, changes }) => {
    const made = [...events];
    for (const { how, at, to, value } of changes) {
      const [from, place] = [at % (made.length || 1), to % (made.length || 1)];
      const event = made[from];
      if (how === "drop") made.splice(from, 1);
      else if (how === "double") made.splice(place, 0, event);
      else if (how === "swap") [made[from], made[place]] = [made[place], event];
      else if (how === "foreign") made.splice(place, 0, others[to % (others.length || 1)]);
      else if (typeof event === "object" && event !== null) {
        const names = Object.keys(event);
        made[from] = { ...event, [names[to % names.length] as string]: value };
      }
    }
    return made.filter((each) => each !== undefined);
  });

test("whatever comes, each item is one that a run takes, and a list of it is read or refused", () => {
  fc.assert(
    fc.property(damaged, (events) => {
      const stream = agUi.reader();
      const run = new agUi.RunAssembler();
      for (const event of events) {
        let items: agUi.RunItem[] = [];
        try {
          items = stream.feed(event);
        } catch (error) {
          if (!(error instanceof agUi.PartwireError)) throw error;
        }
        run.feedAll(items);
      }
      run.feedAll(stream.finish()).finish();
      try {
        agUi.read(events);
      } catch (error) {
        if (!(error instanceof agUi.ReadError)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});

test("what is not an event, or no list of them that messages take, is refused", () => {
  expect(ruleOf(() => agUi.reader().feed(5))).toBe("format/wrong-shape");
  expect(ruleOf(() => agUi.reader().feed('data: {"type":'))).toBe("document/invalid-json");
  const [start, end] = [{ type: "TEXT_MESSAGE_START", messageId: "m".repeat(600) }, { type: "RUN_FINISHED" }];
  expect(ruleOf(() => agUi.read([start, end]))).toBe("format/wrong-shape");
});

// --- writing --------------------------------------------------------------------------------------

const valid = message.filter((each) => !validate(each, "message.Message").some(({ severity }) => severity === "error"));

/** Checks that all of the items is read back of what is written for them, but for what is reported. */
function comesBack(items: readonly unknown[], version: string, extensions: boolean): void {
  const stream = agUi.writer({ version, extensions });
  const events = [...items.flatMap((item) => stream.feed(item)), ...stream.finish()];
  const back = plain(readAll(events.map(agUi.sse)).messages.flatMap(({ parts }) => parts));
  const lost = new Set(stream.losses.map(({ pointer }) => pointer));
  for (const [number, { parts }] of new agUi.RunAssembler().feedAll(items).finish().entries()) {
    for (const [at, { kind, payload }] of parts.entries()) {
      const place = `/${number}/parts/${at}`;
      if (lost.has(`/${number}`) || lost.has(place)) continue;
      const kept = Object.entries(payload).filter(([name]) => !lost.has(`${place}/payload/${name}`));
      expect(back).toContainEqual({ kind, payload: expect.objectContaining(Object.fromEntries(kept)) });
    }
  }
  expect(stream.finish()).toEqual([]);
}

describe.each(["1.0", "1.1"])("what is written for version %s comes back but for what is reported", (version) => {
  test.each(written)("$name", ({ items = [] }) => {
    comesBack(items, version, false);
    comesBack(items, version, true);
  });

  test.each([false, true])("drawn messages, extensions: %s", (extensions) => {
    fc.assert(fc.property(fc.array(valid, { maxLength: 3 }), (items) => comesBack(items, version, extensions)));
  });

  test("drawn histories come back whole with extensions", () => {
    fc.assert(
      fc.property(fc.array(valid, { maxLength: 3 }), (messages) => {
        const { document, losses } = agUi.write(messages, { version, extensions: true });
        expect(losses).toEqual([]);
        expect(plain(agUi.read(document).messages)).toEqual(plain(messages));
      }),
    );
  });
});

test("integers that no number holds have their digits", () => {
  const text =
    '[{"id":"a","role":"assistant","toolCalls":[{"id":"c","function":{"name":"f","arguments":"{\\"n\\":[12345678901234567890]}"}}]}]';
  const { document } = agUi.write(agUi.read(text).messages);
  expect(agUi.sse(document)).toContain('{\\"n\\":[12345678901234567890]}');
});

test("the thread is the client's", () => {
  const stream = agUi.writer();
  stream.threadId = "thread_1";
  const deltas = new Deltas();
  const events = [deltas.start(), deltas.done()].flatMap((delta) => stream.feed(delta));
  const threads = [...events, ...stream.finish()].flatMap((event) => event["threadId"] ?? []);
  expect(threads).toEqual(["thread_1", "thread_1"]);
});

test("a refused item changes nothing", () => {
  const deltas = new Deltas();
  const stream = agUi.writer();
  stream.feed(deltas.start());
  const text = deltas.text("a");
  expect(ruleOf(() => stream.feed({ ...text, runId: "another" }))).toBe("stream/run-id-mismatch");
  expect(stream.feed(text).map(typeOf)).toEqual(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]);
});

test("a long stream takes time in proportion", () => {
  const names = Array.from({ length: 10_000 }, (_, id) => `m${id}`);
  const starts = names.map((messageId) => ({ type: "TEXT_MESSAGE_START", messageId }));
  const ends = names.map((messageId) => ({ type: "TEXT_MESSAGE_END", messageId })).reverse();
  expect(readAll([...starts, ...ends, { type: "RUN_FINISHED" }]).messages.length).toBe(10_000);
  const covers = Array.from({ length: 20_000 }, () => "TEXT_MESSAGE_END");
  const said = { runId: "r", role: "user", parts: [], timestamp: CONTEXT.timestamp };
  const custom = { type: "CUSTOM", name: "partwire", value: { message: said, covers } };
  expect(readAll([custom, ...covers.map((type) => ({ type }))]).messages.length).toBe(2);

  const deltas = new Deltas();
  const stream = agUi.writer();
  stream.feed(deltas.start());
  for (let count = 0; count < 10_000; count++) stream.feed(deltas.text("a"));
  stream.feed(deltas.done());
  expect(stream.finish().map(typeOf)).toEqual(["RUN_FINISHED"]);
});

// --- the body of a response -----------------------------------------------------------------------

describe("the body of a response", () => {
  async function* answer(
    fails: "never" | "within" | "before" | "behind",
  ): AsyncGenerator<MessageDelta, void, undefined> {
    const deltas = new Deltas();
    if (fails === "before") throw new RangeError("secret");
    yield deltas.start();
    yield deltas.text("It ");
    if (fails === "within") throw new RangeError("secret");
    yield deltas.text("rains.");
    yield deltas.done();
    if (fails === "behind") throw new RangeError("secret");
  }

  const eventsOf = (text: string): unknown[] =>
    text.split("\n\n").flatMap((event) => (event.startsWith("data: {") ? [JSON.parse(event.slice(6))] : []));

  test("has the events of its items", async () => {
    const stream = agUi.writer({ version: "1.1" });
    const response = new Response(agUi.body(answer("never"), { writer: stream }), { headers: agUi.HEADERS });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = eventsOf(await response.text());
    expect(texts(readAll(events).messages)).toEqual(["It rains."]);
    expect(events.at(0)).toMatchObject({ type: "RUN_STARTED", protocolVersion: "1.1" });
    expect(typeOf(events.at(-1))).toBe("RUN_FINISHED");
    expect(stream.losses.map(({ code }) => code)).toContain("meta");
  });

  test.each(["before", "within", "behind"] as const)(
    "says that it was cut, and not why: %s a message",
    async (fails) => {
      const errors: unknown[] = [];
      const text = await new Response(agUi.body(answer(fails), { onError: (error) => errors.push(error) })).text();
      expect(text).not.toContain("secret");
      const events = eventsOf(text);
      expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "truncated_stream" });
      expect(events.filter((event) => typeOf(event) === "RUN_FINISHED")).toEqual([]);
      expect(errors).toEqual([new RangeError("secret")]);
      expect(endingOf(readAll(events).messages.at(-1))).toBe("error");
    },
  );
});

/** The channel between the maker of chunks and their reader. */
import { describe, expect, test } from "vitest";
import { type Chunk, collect, ModelAdapterError, ReaderGone, StreamingResponse } from "../src/blocks/index.js";
import { type PartwireError, Unknown } from "../src/index.js";
import { ruleOf } from "./deltas.js";

const start = (index: number): Chunk => ({ type: "content_block_start", index });
const end: Chunk = { type: "message_stop", usage: { input_tokens: 1, output_tokens: 2 } };
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "nothing was thrown",
    (error: PartwireError) => error.rule,
  );

describe("a streaming response", () => {
  test("lets the sender be so far ahead, and no further", async () => {
    const [sender, stream] = StreamingResponse.channel(2);
    const sent: number[] = [];
    const all = [0, 1, 2, 3].map((index) => sender.send(start(index)).then(() => sent.push(index)));
    await turn();
    expect(sent).toEqual([0, 1]);
    expect((await stream.next()).value).toEqual(start(0));
    await turn();
    expect(sent).toEqual([0, 1, 2]);
    const rest = [stream.next(), stream.next(), stream.next(), stream.next()];
    await Promise.all(all);
    void sender.send(end);
    expect((await Promise.all(rest)).map(({ value }) => value)).toEqual([start(1), start(2), start(3), end]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(sender.readerGone).toBe(true);
  });

  test("is collected, and what was sent before an error is read first", async () => {
    const [sender, stream] = StreamingResponse.channel();
    void sender.pipe([start(0), { type: "content_block_stop", index: 0 }, end]);
    expect((await collect(stream)).usage).toEqual({ input_tokens: 1, output_tokens: 2 });

    const [failing, cut] = StreamingResponse.channel();
    const cause = new RangeError("too many");
    await failing.send(start(0));
    expect(failing.fail(cause)).toBe(true);
    expect(failing.fail(cause)).toBe(false);
    expect((await cut.next()).value).toEqual(start(0));
    const error = await cut.next().catch((thrown: unknown) => thrown as ModelAdapterError);
    expect(error).toMatchObject({ errorCode: "unknown", retryable: false, cause });
    expect((error as ModelAdapterError).reason).toBe("The sender failed: RangeError: too many");
    expect(await cut.next()).toEqual({ done: true, value: undefined });
  });

  test("keeps the code of an adapter's error, and says that a stream was cut", async () => {
    const [sender, stream] = StreamingResponse.channel();
    const cause = new ModelAdapterError("rate_limited", "Slow down", { retryable: true });
    const waiting = stream.next();
    sender.fail(cause);
    await expect(waiting).rejects.toMatchObject({ errorCode: "rate_limited", retryable: true, cause });
    const [silent, cut] = StreamingResponse.channel();
    silent.close();
    expect(await refused(cut.next())).toBe("blocks/truncated");
    expect(await refused(silent.send(end))).toBe("blocks/sender-closed");
  });

  test("that is left stops the sender, also one that waits", async () => {
    const seen: string[] = [];
    async function* source(): AsyncGenerator<Chunk> {
      try {
        for (let index = 0; ; index++) yield start(index);
      } finally {
        seen.push("closed");
      }
    }
    const [sender, stream] = StreamingResponse.channel(1);
    const piped = sender.pipe(source());
    for await (const chunk of stream) if ((chunk as { index: number }).index === 3) break;
    await piped;
    expect(seen).toEqual(["closed"]);

    const [other, closed] = StreamingResponse.channel(1);
    await other.send(start(0));
    const waiting = other.send(start(1));
    closed.close();
    await expect(waiting).rejects.toBeInstanceOf(ReaderGone);
    expect(await refused(other.send(start(2)))).toBe("blocks/reader-gone");
    expect(other.fail(new Error("late"))).toBe(false);
    expect(await closed.next()).toEqual({ done: true, value: undefined });
  });

  test("takes valid chunks alone, and none after the end", async () => {
    const [sender, stream] = StreamingResponse.channel(2);
    expect(await refused(sender.send({ type: "content_block_start", index: -1 }))).toBe("blocks/invalid-chunk");
    expect(await refused(sender.send(null as never))).toBe("blocks/invalid-chunk");
    await sender.send(new Unknown("type", "image", { type: "image" }));
    await sender.send(end);
    const late = refused(sender.send(start(0)));
    expect(await late).toBe("blocks/after-terminal");
    const lost = sender.pipe(
      (async function* (): AsyncGenerator<Chunk> {
        yield* [];
        throw new Error("late");
      })(),
    );
    await expect(lost).rejects.toThrow("late");
    const seen: Chunk[] = [];
    for await (const chunk of stream) seen.push(chunk);
    expect(seen).toHaveLength(2);
    expect(ruleOf(() => StreamingResponse.channel(0))).toBe("usage/invalid-argument");
    expect(ruleOf(() => sender.fail("late" as never))).toBe("usage/invalid-argument");
  });
});

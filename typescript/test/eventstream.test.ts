import { crc32 as reference } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32 } from "../src/providers/framing/eventstream.js";
import { EventStreamDecoder, type EventStreamMessage, FramingError } from "../src/providers/framing/index.js";
import { ruleOf, thrown } from "./deltas.js";

const text = (value: string): Buffer => Buffer.from(value);
const uint = (value: number, size: number): Buffer => {
  const data = Buffer.alloc(size);
  data.writeUIntBE(value, 0, size);
  return data;
};
const header = (name: string, type: number, value: Buffer): Buffer =>
  Buffer.concat([uint(name.length, 1), text(name), uint(type, 1), value]);
const string = (name: string, value: string): Buffer =>
  header(name, 7, Buffer.concat([uint(text(value).length, 2), text(value)]));

function frame(headers: Buffer, payload: Buffer): Buffer {
  const prelude = Buffer.concat([uint(16 + headers.length + payload.length, 4), uint(headers.length, 4)]);
  const body = Buffer.concat([prelude, uint(reference(prelude), 4), headers, payload]);
  return Buffer.concat([body, uint(reference(body), 4)]);
}

const ONE = frame(string(":event-type", "messageStart"), text('{"role":"assistant"}'));
const TWO = frame(Buffer.alloc(0), Buffer.alloc(0));

function decoded(data: Buffer, size: number, limit?: number): EventStreamMessage[] {
  const decoder = new EventStreamDecoder(limit);
  const events: EventStreamMessage[] = [];
  for (let at = 0; at < data.length; at += size) events.push(...decoder.feed(data.subarray(at, at + size)));
  return [...events, ...decoder.close()];
}

test("CRC-32 is that of zlib", () => {
  fc.assert(fc.property(fc.uint8Array(), (data) => crc32(data) === reference(data)));
});

test("frames are given whole, in any cut", () => {
  const data = Buffer.concat([ONE, TWO, ONE]);
  for (const size of [1, 2, 11, 13, 16, 17, data.length]) {
    const events = decoded(data, size);
    expect(events.map(({ offset, terminated }) => [offset, terminated])).toEqual([
      [0, true],
      [ONE.length, true],
      [ONE.length + TWO.length, true],
    ]);
    expect(events[2]?.headers.get(":event-type")).toBe("messageStart");
    expect(Buffer.from(events[2]?.payload ?? []).toString()).toBe('{"role":"assistant"}');
  }
});

test("a payload is the reader's own: it outlives the chunk that it came in", () => {
  const chunk = Buffer.from(ONE);
  const [event] = new EventStreamDecoder().feed(chunk);
  chunk.fill(0);
  expect(Buffer.from(event?.payload ?? []).toString()).toBe('{"role":"assistant"}');
});

test("headers are read by their types", () => {
  const eight = (value: bigint): Buffer => {
    const data = Buffer.alloc(8);
    data.writeBigInt64BE(value);
    return data;
  };
  const headers = Buffer.concat([
    header("true", 0, Buffer.alloc(0)),
    header("false", 1, Buffer.alloc(0)),
    header("byte", 2, Buffer.from([0xff])),
    header("short", 3, Buffer.from([0xff, 0xfe])),
    header("integer", 4, Buffer.from([0x80, 0, 0, 0])),
    header("long", 5, eight(-(2n ** 63n))),
    header("bytes", 6, Buffer.concat([uint(2, 2), Buffer.from([1, 2])])),
    string("__proto__", "é"),
    header("timestamp", 8, eight(1_800_000_000_000n)),
    header("uuid", 9, Buffer.alloc(16, 7)),
  ]);
  const [event] = decoded(frame(headers, text("")), 5);
  expect([...(event?.headers ?? [])]).toEqual([
    ["true", true],
    ["false", false],
    ["byte", -1],
    ["short", -2],
    ["integer", -(2 ** 31)],
    ["long", -(2n ** 63n)],
    ["bytes", Uint8Array.of(1, 2)],
    ["__proto__", "é"],
    ["timestamp", 1_800_000_000_000n],
    ["uuid", new Uint8Array(16).fill(7)],
  ]);
});

test("no byte of a frame can be damaged unnoticed", () => {
  const data = Buffer.concat([TWO, ONE]);
  for (let at = TWO.length; at < data.length; at++) {
    const damaged = Buffer.from(data);
    damaged[at] = (damaged[at] as number) ^ 0x20;
    const decoder = new EventStreamDecoder();
    expect(decoder.feed(damaged)).toHaveLength(1);
    expect(decoder.error?.findings[0].message).toContain(`at byte ${TWO.length} `);
    expect(ruleOf(() => decoder.close())).toBe("framing/checksum-mismatch");
  }
});

test("what is not a frame is refused, with sound checksums or without", () => {
  const refused = (headers: Buffer): string => ruleOf(() => decoded(frame(headers, text("{}")), 3));
  const name = header("a", 0, Buffer.alloc(0));
  expect(refused(Buffer.concat([name, name]))).toBe("framing/invalid-frame");
  expect(refused(header("a", 10, Buffer.alloc(0)))).toBe("framing/invalid-frame");
  expect(refused(Buffer.from([200, 65]))).toBe("framing/invalid-frame");
  expect(refused(Buffer.from([1, 65]))).toBe("framing/invalid-frame");
  expect(refused(header("a", 4, Buffer.from([0, 0])))).toBe("framing/invalid-frame");
  expect(refused(header("a", 7, Buffer.concat([uint(9, 2), text("short")])))).toBe("framing/invalid-frame");
  expect(refused(header("a", 7, Buffer.concat([uint(1, 2), Buffer.from([0xff])])))).toBe("framing/invalid-utf8");
  const prelude = (size: number, headers: number): Buffer => {
    const data = Buffer.concat([uint(size, 4), uint(headers, 4)]);
    return Buffer.concat([data, uint(reference(data), 4)]);
  };
  expect(ruleOf(() => decoded(prelude(15, 0), 1))).toBe("framing/invalid-frame");
  expect(ruleOf(() => decoded(prelude(2 ** 31, 2 ** 17 + 1), 1))).toBe("framing/invalid-frame");
});

test("the limit counts a whole frame, before it comes", () => {
  expect(decoded(ONE, 7, ONE.length)).toHaveLength(1);
  const error = thrown(() => decoded(ONE.subarray(0, 12), 7, ONE.length - 1)) as FramingError;
  expect(error).toBeInstanceOf(FramingError);
  expect(error.findings[0]).toMatchObject({ rule: "framing/event-too-large", actual: `${ONE.length} bytes` });
});

test("a frame that the end cuts off is given, with nothing in it", () => {
  for (const end of [1, 12, 13, ONE.length - 1]) {
    const events = decoded(Buffer.concat([TWO, ONE.subarray(0, end)]), 4);
    expect(events).toHaveLength(2);
    expect(events[1]).toEqual({
      headers: new Map(),
      payload: new Uint8Array(0),
      offset: TWO.length,
      terminated: false,
    });
  }
});

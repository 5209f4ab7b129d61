/** Documents, deltas and records of other versions, and which version two peers speak. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DeltaDowngrade,
  downgrade,
  load,
  type MigrationError,
  migrate,
  migrateRecord,
  negotiate,
  readRecord,
  store,
} from "../src/convert/versions/index.js";
import type { Version } from "../src/generated/versions.js";
import { LATEST_VERSION, MessageAssembler, ReadError, read, toWire, Unknown, validate } from "../src/index.js";
import { sameJson } from "../src/json/equality.js";
import * as documents from "./convert-documents.js";
import { Deltas, ruleOf, thrown } from "./deltas.js";
import { documents as fixtures } from "./fixtures.js";

const TIME = "2026-01-02T03:04:05Z";
const TYPE = "message.Message";
const OPAQUE = { provider: "p", data: { items: [{ kind: "signature" }] } };
const message = (parts: unknown[], more: object = {}) => ({
  runId: "r",
  role: "assistant",
  parts,
  timestamp: TIME,
  ...more,
});
const text = (words: string, opaque?: unknown) => ({
  kind: "text",
  payload: { text: words, ...(opaque === undefined ? {} : { opaque }) },
});
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe("a document", () => {
  test("goes down with what it loses, and comes back", () => {
    const given = message([text("Hi", OPAQUE)], { turnId: "t" });
    const { value, losses, version } = downgrade(given, TYPE);
    expect(version).toBe("v0.1");
    expect(value).toEqual(
      message([text("Hi")], { meta: { opaque: { dialect: "p", parts: { "0": OPAQUE.data.items } } } }),
    );
    expect(losses.map(({ code, pointer }) => [code, pointer])).toEqual([["turn-id", "/turnId"]]);
    expect(migrate(value, TYPE, { version: "v0.1" }).value).toEqual(message([text("Hi", OPAQUE)]));
    const error = thrown(() => downgrade(given, TYPE, { strict: true })) as MigrationError;
    expect([error.rule, error.findings[0].pointer, error.losses]).toEqual(["migrate/lossy", "/turnId", losses]);
  });

  test("that is there already is given back, once it was found valid", () => {
    const given = message([text("Hi")]);
    expect(migrate(given, TYPE, { version: "v0.2" }).value).toBe(given);
    expect(downgrade(given, TYPE).value).toBe(given);
    const encoded = bytes(given);
    expect(downgrade(encoded, TYPE).value).toBe(encoded);
    expect(ruleOf(() => migrate({ ...given, runId: "" }, TYPE, { version: "v0.2" }))).toBe("shape/min-length");
    expect(migrate('"auto"', "message.ToolChoice", { version: "v0.1" }).value).toBe('"auto"');
  });

  test("has the form in which it was given", () => {
    const lowered = downgrade(bytes(message([text("Hi")], { turnId: "t" })), TYPE).value as Uint8Array;
    expect(JSON.parse(new TextDecoder().decode(lowered))).toEqual(message([text("Hi")]));
    const newer = read(message([{ kind: "hologram", payload: 7 }, text("Hi")], { turnId: "t" }), TYPE, {
      mode: "tolerant",
    });
    const { value } = downgrade(newer, TYPE) as { value: { parts: unknown[]; turnId?: string } };
    expect([value.parts[0], value.turnId]).toEqual([newer.parts[0], undefined]);
    expect(value.parts[0]).toBeInstanceOf(Unknown);
    const assembler = new MessageAssembler();
    const make = new Deltas();
    for (const delta of [make.start(), make.text("Hi"), make.done()]) assembler.consume(delta);
    assembler.close();
    expect(toWire(downgrade(assembler.snapshot(), TYPE).value, TYPE, { version: "v0.1" })).toMatchObject({
      parts: [text("Hi")],
    });
  });

  test("has a type and a version, and says no other", () => {
    const given = message([]);
    expect(ruleOf(() => migrate(given, TYPE))).toBe("usage/unknown-version");
    expect(ruleOf(() => migrate(given, TYPE, { version: "v0.2", to: "v9" }))).toBe("usage/unknown-version");
    expect(ruleOf(() => migrate(given, "message.Letter", { version: "v0.2" }))).toBe("usage/unknown-type");
    expect(ruleOf(() => migrate(given, undefined as never, { version: "v0.2" }))).toBe("usage/unknown-type");
    expect(ruleOf(() => downgrade(given, TYPE, { to: "v0.2", version: "v0.1" }))).toBe("usage/invalid-argument");
    expect(
      ruleOf(() => downgrade(message([{ kind: "media", payload: {} }], { role: "user" }), "message.MediaPart")),
    ).toBe("shape/required");
    const media = { kind: "media", payload: { mimeType: "a/b", source: { kind: "ref", ref: "x" } } };
    expect(ruleOf(() => downgrade(media, "message.MediaPart"))).toBe("usage/unknown-type");
    const event = { message_id: "0197c6f0-5a00-7000-8000-000000000001", sent_at: TIME, schema_version: "v0.1" };
    expect(migrate(event, "envelope.Envelope").value).toEqual({ ...event, schema_version: LATEST_VERSION });
    expect(ruleOf(() => migrate(event, "envelope.Envelope", { version: "v0.2" }))).toBe("migrate/version-mismatch");
  });

  test("keeps in meta.opaque what could not come back from its part", () => {
    const item = { kind: "signature" };
    const given = (state: object, ...parts: unknown[]) =>
      message(parts, { meta: { opaque: { dialect: "p", parts: state } } });
    const up = (document: unknown) =>
      migrate(document, TYPE, { version: "v0.1" }).value as { parts: unknown[]; meta?: object };
    const stays = [
      given({ "0": [item] }, text("a"), text("b")),
      given({ "0": [item] }, text("")),
      given({ "7": [item] }, text("a")),
      given({ "0": [1] }, text("a")),
      given({ "0": [{ ...item, partOffset: 1 }] }, text("a")),
      given({ "1": [item] }, text("a")),
    ];
    for (const each of stays) expect(up(each)).toEqual(each);
    expect(up(given({ "1": [item] }, text("a"), text("b")))).toEqual(message([text("a"), text("b", OPAQUE)]));
    const behind = { start: 0, end: 0 };
    const asked = { ...given({ "1": [behind] }, text("a")), role: "user" };
    expect(up(asked)).toEqual(asked);
    const data = { provider: "p", data: { items: [behind] } };
    expect(up(given({ "1": [behind] }, text("a")))).toEqual(
      message([text("a"), { kind: "thinking", payload: { text: "", opaque: data } }]),
    );
  });

  test("has late state at the part that it belongs to, if that is the same provider's", () => {
    const late = (provider: string) => ({ provider: "p", data: { items: [{ kind: provider, partOffset: 1 }] } });
    const state = (own: string) =>
      downgrade(
        message([
          text("a", late("late")),
          { kind: "thinking", payload: { text: "b", opaque: { ...OPAQUE, provider: own } } },
        ]),
        TYPE,
      );
    const parts = (own: string) => (state(own).value as { meta: { opaque: { parts: object } } }).meta.opaque.parts;
    expect(parts("p")).toEqual({ "1": [{ kind: "late" }, { kind: "signature" }] });
    expect(parts("q")).toEqual({ "0": [{ kind: "late", partOffset: 1 }] });
    expect(state("q").losses.map((each) => each.code)).toEqual(["opaque-moved", "opaque-provider"]);
  });

  test("keeps names such as __proto__, and counts characters as code points", () => {
    const odd = JSON.parse(
      '{"__proto__": {"a": 1}, "constructor": 2, "opaque": {"dialect": "p", "parts": {"__proto__": 1}}}',
    );
    const given = message([text("🌍", OPAQUE), text("🌍", OPAQUE)], { meta: odd, turnId: "t" });
    const { value } = downgrade(given, TYPE) as { value: { meta: object } };
    const items = [0, 1].map((start) => ({ kind: "signature", start, end: start + 1 }));
    const parts = JSON.parse(`{"__proto__": 1, "0": ${JSON.stringify(items)}}`);
    expect(sameJson(value.meta, { ...odd, opaque: { dialect: "p", parts } })).toBe(true);
  });
});

test("every valid document goes down to one that is valid there, and up again", () => {
  for (const { version, type, value } of fixtures()) {
    const isValid = (document: unknown, of: Version) =>
      validate(document, type, { version: of }).every((each) => each.severity !== "error");
    const declared = (value as { schema_version?: string } | null)?.schema_version ?? version;
    if (!isValid(value, version) || declared !== version) continue;
    const known = isKnown(type);
    expect([type, isValid(migrate(value, type, { version }).value, LATEST_VERSION)]).toEqual([type, true]);
    if (known) expect([type, isValid(downgrade(value, type, { version }).value, "v0.1")]).toEqual([type, true]);
  }
});

function isKnown(type: string): boolean {
  try {
    validate(null, type, { version: "v0.1" });
    return true;
  } catch {
    return false;
  }
}

test("what goes down is valid there, and the same once it went up and down again", () => {
  const law = fc.property(documents.message, (given) => {
    if (validate(given, TYPE).some((each) => each.severity === "error")) return;
    const before = structuredClone(given);
    const lowered = downgrade(given, TYPE);
    expect(given).toEqual(before);
    expect(validate(lowered.value, TYPE, { version: "v0.1" })).toEqual([]);
    const lifted = migrate(lowered.value, TYPE, { version: "v0.1" });
    expect(lifted.losses).toEqual([]);
    expect(sameJson(downgrade(lifted.value, TYPE).value, lowered.value)).toBe(true);
    expect(sameJson(lifted.value, given)).toBe(lowered.losses.length === 0);
  });
  fc.assert(law, { numRuns: 300 });
});

describe("deltas", () => {
  test("that are there for state alone go, and leave no gap", () => {
    const make = new Deltas();
    const state = make.make("text", { textDelta: "", opaque: OPAQUE });
    const [start, hi] = [make.start(), make.text("Hi")];
    const stream = [
      { ...start, messageId: "m" },
      state,
      { ...hi, messageId: "m" },
      state,
      { ...make.done(), messageId: "m" },
    ];
    const older = new DeltaDowngrade();
    const seen = stream.flatMap((delta) => older.feed(delta as never));
    expect(seen).toEqual([start, hi, make.done()].map((delta, at) => ({ ...delta, seq: [1, 1, 2][at] })));
    expect(older.losses.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      "message-id /0/messageId",
      "opaque /1/payload/opaque",
      "opaque /3/payload/opaque",
    ]);
  });

  test("of an unknown kind keep their content, and are renumbered", () => {
    const make = new Deltas();
    const older = new DeltaDowngrade("v0.1");
    older.feed(make.make("thinking", { textDelta: "", opaque: OPAQUE }));
    const document = { kind: "hologram", seq: 1, more: true };
    expect(older.feed(new Unknown("kind", "hologram", document))).toEqual([
      new Unknown("kind", "hologram", { ...document, seq: 0 }),
    ]);
    expect(ruleOf(() => older.feed({ ...make.text("a"), seq: -1 }))).toBe("shape/minimum");
    expect(older.feed(make.text("a"))).toMatchObject([{ seq: 1 }]);
  });

  test("have a time that is looked at where it goes into the message", () => {
    const make = new Deltas();
    const later = (delta: object): never => ({ ...delta, timestamp: "soon" }) as never;
    const older = new DeltaDowngrade("v0.2");
    expect(ruleOf(() => older.feed(later(make.start())))).toBe("shape/pattern");
    const hi = later(make.text("Hi"));
    expect(older.feed(hi)).toEqual([hi]);
    expect(ruleOf(() => older.feed(later(make.done())))).toBe("shape/pattern");
  });

  test("are counted where there are too many losses", () => {
    const make = new Deltas();
    const older = new DeltaDowngrade();
    for (let n = 0; n < 150; n++) older.feed(make.make("text", { textDelta: "a", opaque: OPAQUE }));
    expect([older.losses.length, older.leftOut.get("opaque")]).toEqual([100, 50]);
  });
});

describe("a stored record", () => {
  test("says what it takes to read it", () => {
    const stored = store(message([text("Hi")]), TYPE, "v0.1");
    expect(JSON.parse(stored)).toEqual({
      contract: "partwire",
      version: "v0.1",
      type: TYPE,
      data: message([text("Hi")]),
    });
    expect(load(new TextEncoder().encode(stored))).toEqual(message([text("Hi")]));
    const { value, losses } = migrateRecord(JSON.parse(store(message([], { turnId: "t" }), TYPE)), { to: "v0.1" });
    expect(value).toEqual({ contract: "partwire", version: "v0.1", type: TYPE, data: message([]) });
    expect(losses.map((each) => each.pointer)).toEqual(["/data/turnId"]);
  });

  test.each([
    [null, "migrate/invalid-record", ""],
    [{}, "migrate/invalid-record", ""],
    [{ contract: "partwire", version: "v0.2", type: TYPE, data: 1, more: 1 }, "migrate/invalid-record", ""],
    [{ contract: "other", version: "v0.2", type: TYPE, data: 1 }, "migrate/invalid-record", "/contract"],
    [{ contract: "partwire", version: "constructor", type: TYPE, data: 1 }, "migrate/unknown-version", "/version"],
    [{ contract: "partwire", version: "v0.2", type: "constructor.name", data: 1 }, "migrate/invalid-record", "/type"],
  ])("is not another object: %#", (record, rule, pointer) => {
    const error = thrown(() => readRecord(record)) as ReadError;
    expect(error).toBeInstanceOf(ReadError);
    expect([error.rule, error.findings[0].pointer]).toEqual([rule, pointer]);
  });

  test("with a document that is not valid is refused at its place", () => {
    const record = { contract: "partwire", version: "v0.2", type: TYPE, data: {} };
    expect((thrown(() => migrateRecord(record)) as ReadError).findings[0].pointer).toBe("/data");
    const lossy = { ...record, data: message([], { turnId: "t" }) };
    const error = thrown(() => migrateRecord(lossy, { to: "v0.1", strict: true })) as MigrationError;
    expect([error.findings[0].pointer, error.losses[0]?.pointer]).toEqual(["/data/turnId", "/data/turnId"]);
  });
});

describe("two peers", () => {
  test.each([
    ["v0.1, v0.2", undefined, "v0.2"],
    [["v0.2;q=0.5", "v0.1"], undefined, "v0.1"],
    ["*", ["v0.9", "v0.10"], "v0.10"],
    ["*;q=0.1, v0.10 ; Q=0", ["v0.9", "v0.10"], "v0.9"],
    [", ,v0.1,", undefined, "v0.1"],
  ])("speak the best version that both know: %j", (offers, supported, version) => {
    expect(negotiate(offers, supported)).toBe(version);
  });

  test.each([
    ["v0.9", undefined, "negotiate/no-common-version"],
    ["", undefined, "negotiate/no-common-version"],
    ["v0.2;q=0", undefined, "negotiate/no-common-version"],
    ["*", [], "negotiate/no-common-version"],
    ["v0.2;q=2", undefined, "negotiate/invalid-offer"],
    [[""], undefined, "negotiate/invalid-offer"],
    [[7], undefined, "negotiate/invalid-offer"],
    [Array.from({ length: 1001 }, () => "v0.1"), undefined, "negotiate/invalid-offer"],
    [7, undefined, "usage/invalid-argument"],
    ["v0.1", "v0.1", "usage/invalid-argument"],
    ["v0.1", ["v01"], "usage/invalid-argument"],
  ])("may have none: %#", (offers, supported, rule) => {
    expect(ruleOf(() => negotiate(offers as string, supported as string[]))).toBe(rule);
  });
});

/** Integers that no number of JavaScript holds are written as they were read. */
import { describe, expect, it } from "vitest";
import { load, migrate, migrateRecord, store } from "../src/convert/versions/index.js";
import {
  assemble,
  decodeJson,
  dump,
  type JsonValue,
  read,
  readWithFindings,
  repairHistory,
  stringify,
  toWire,
} from "../src/index.js";

const LONG = "12345678901234567890";
const HEAD = '"runId":"r","role":"user"';
const AT = '"timestamp":"2026-01-02T03:04:05Z"';
const OPAQUE = `"opaque":{"provider":"x","data":{"items":[{"k":${LONG}}]}}`;
const META = `"meta":{"a":${LONG},"list":[1,${LONG},{"b":-9007199254740993}],"text":"digits:${LONG}","c":${"9".repeat(300)}}`;
const MESSAGE = `{${HEAD},"parts":[{"kind":"text","payload":{"text":"a",${OPAQUE}}}],${AT},${META}}`;
const OLDER = `{${HEAD},"parts":[{"kind":"text","payload":{"text":"a"}}],${AT},${META.slice(0, -1)},"opaque":{"dialect":"x","parts":{"0":[{"k":${LONG}}]}}}}`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: unknown): string => new TextDecoder().decode(data as Uint8Array);
const recordOf = (version: string, data: string): string =>
  `{"contract":"partwire","version":"${version}","type":"message.Message","data":${data}}`;

describe("integers beyond 2^53", () => {
  it("are the same in another version", () => {
    const options = { to: "v0.1", version: "v0.2" };
    expect(text(migrate(bytes(MESSAGE), "message.Message", options).value)).toBe(OLDER);
    const back = migrate(bytes(OLDER), "message.Message", { to: "v0.2", version: "v0.1" });
    expect(text(back.value)).toBe(MESSAGE);
  });

  it("are the same in a record", () => {
    const down = migrateRecord(bytes(recordOf("v0.2", MESSAGE)), { to: "v0.1" }).value;
    expect(stringify(down)).toBe(recordOf("v0.1", OLDER));
    const value = load(bytes(recordOf("v0.1", OLDER)));
    expect(store(value, "message.Message")).toBe(recordOf("v0.3", MESSAGE));
  });

  it("are the same where a document is read and written", () => {
    expect(dump(read(bytes(MESSAGE), "message.Message"), "message.Message")).toBe(MESSAGE);
    expect(stringify(decodeJson(MESSAGE))).toBe(MESSAGE);
    const odd = `{"kind":"hologram","size":${LONG}}`;
    const part = readWithFindings(bytes(odd), "message.MessagePart", { mode: "tolerant" }).value;
    expect(stringify(toWire(part, "message.MessagePart"))).toBe(odd);
    expect(dump(part, "message.MessagePart")).toBe(odd);
  });

  it("are the same in a repaired history", () => {
    const call = `{"kind":"tool_call","payload":{"toolCallId":"c","toolName":"t","arguments":{"n":${LONG}}}}`;
    const result = '{"kind":"tool_result","payload":{"toolCallId":"c","isError":false,"content":"x"}}';
    const asked = (parts: string): string =>
      `{"runId":"r","role":"assistant","parts":[${parts}],${AT},"meta":{"a":${LONG}}}`;
    const answer = `{"runId":"r","role":"tool","parts":[${result},${result}],${AT},"meta":{"a":${LONG}}}`;
    const given = [bytes(asked(call)), bytes(answer)];
    const made = repairHistory(given).messages.map(text);
    expect(made).toEqual([asked(call), answer.replace(`${result},`, "")]);
  });

  it("are the same in provider state that a stream brings", () => {
    const lines = [
      `{"kind":"start","runId":"r","seq":0,${AT},"payload":{"role":"assistant","modelId":"m","requestId":"q"}}`,
      `{"kind":"text","runId":"r","seq":1,${AT},"payload":{"textDelta":"a",${OPAQUE}}}`,
      `{"kind":"done","runId":"r","seq":2,${AT},"payload":{"finishReason":"stop"}}`,
    ];
    expect(stringify(assemble(lines.map(bytes)))).toContain(OPAQUE);
  });

  it("are another number once they are set", () => {
    const value = decodeJson(`{"a":${LONG},"b":${LONG}}`) as Record<string, JsonValue>;
    value["a"] = 7;
    expect(stringify({ ...value })).toBe(`{"a":7,"b":${LONG}}`);
    expect(stringify([value["b"]])).toBe("[12345678901234567000]");
  });

  it("do not change what a double holds", () => {
    const value = "[9007199254740992,100000000000000000000,1e+300,-0.5]";
    expect(stringify(decodeJson(value))).toBe(value);
  });

  it("do not meet strings that look alike", () => {
    const value = `{"digits:":"digits:7","a":${LONG},"b":"\\"digits::${LONG}\\""}`;
    expect(stringify(decodeJson(value))).toBe(value);
  });
});

/** Whatever a file holds: nothing of it runs, nothing is asked of the network, and the page stays usable. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Given, hasBrowser, Inspector } from "./browser.js";
import { hostileSample, lookAround, SCRIPT } from "./hostile.js";
import { documents, largestStreams } from "./samples.js";

const inspector = new Inspector();
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const lines = (...values: readonly unknown[]): string => values.map((each) => `${JSON.stringify(each)}\n`).join("");

const TIME = "2026-01-02T03:04:05Z";
const START = { kind: "start", runId: "r", seq: 0, timestamp: TIME, payload: { modelId: "m", requestId: "q" } };
const delta = (seq: number, kind: string, payload: object) => ({ kind, runId: "r", seq, timestamp: TIME, payload });
const DONE = { kind: "done", runId: "r", seq: 2, timestamp: TIME, payload: { finishReason: "stop" } };
const message = (text: string): object => ({
  runId: "r",
  role: "assistant",
  parts: [{ kind: "text", payload: { text } }],
  timestamp: TIME,
});

/** Opens sources in one page, looks at each, and finds no harm; the page can be used afterwards. */
async function survives(given: readonly Given[]): Promise<void> {
  const { page, faults, requests } = await inspector.open(given);
  const seen = await lookAround(page);
  expect(seen.map(({ name }) => name)).toEqual(given.map(({ name }) => name));
  expect(seen.filter(({ harm, isShown }) => harm.length > 0 || !isShown)).toEqual([]);
  expect(faults).toEqual([]);
  expect(requests).toEqual([]);
  await page.getByRole("combobox", { name: "Read as" }).selectOption({ label: "JSON" });
  await page.getByRole("main").waitFor();
  await page.context().close();
}

describe.skipIf(!hasBrowser)("hostile input", () => {
  beforeAll(() => inspector.start());
  afterAll(() => inspector.stop());

  test("the policy holds: nothing that is added to the page runs, and no other host is asked", async () => {
    const { page, faults } = await inspector.open([]);
    const asked = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "ran = 1";
      document.body.append(script);
      const handler = document.createElement("p");
      handler.setAttribute("onclick", "ran = 1");
      document.body.append(handler);
      handler.click();
      try {
        await fetch("https://example.invalid/");
        return "asked";
      } catch (error) {
        return String(error);
      }
    });
    expect(asked).not.toBe("asked");
    expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
    expect(faults.filter((fault) => fault.includes("Content Security Policy")).length).toBeGreaterThanOrEqual(3);
    await page.context().close();
  });

  test("script in every string of a stream", () =>
    survives(
      largestStreams()
        .filter(({ name }) => !name.endsWith(".eventstream"))
        .map(hostileSample),
    ));

  test.each(Object.entries(documents()))("script in every string of %s", (_, samples) =>
    survives(samples.slice(0, 3).map(hostileSample)),
  );

  test("a name and data that end the script element", () =>
    survives([
      { name: SCRIPT, bytes: lines(message(SCRIPT)), readAs: SCRIPT, as: "history", losses: [loss()] },
      { name: SCRIPT, bytes: SCRIPT },
    ]));

  test("strings of 10 MB", () => {
    const long = `${"wind ".repeat(2_000_000)}${SCRIPT}`;
    return survives([
      { name: "deltas.jsonl", bytes: lines(START, delta(1, "text", { textDelta: long }), DONE) },
      { name: "message.json", bytes: JSON.stringify(message(long)) },
      { name: "any.json", bytes: JSON.stringify({ [long]: long }) },
      { name: "no.txt", bytes: long },
    ]);
  });

  test("deep nesting", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const objects = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    return survives([
      { name: "arrays.json", bytes: deep },
      { name: "objects.json", bytes: objects },
      { name: "event.sse", bytes: `data: {"type":"message_start","message":${objects}}\n\n` },
      { name: "args.jsonl", bytes: lines(START).concat(`{"kind":"text","payload":${deep}}\n`), as: "deltas" },
      { name: "message.json", bytes: JSON.stringify(message("")).replace('""', deep), as: "message" },
      { name: "history.json", bytes: deep, as: "history" },
      { name: "session.json", bytes: deep, as: "session" },
      { name: "ui.json", bytes: `[${objects}]`, as: "ai-sdk", history: true },
      { name: "report.json", bytes: `{"findings":${deep},"tool":${objects}}`, as: "report" },
    ]);
  });

  test("what is not UTF-8, and what ends in the midst of a character", () => {
    const wrong = Uint8Array.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x0a]);
    const within = (text: string): Uint8Array => Uint8Array.from([...encode(text), ...wrong, ...encode('"}}\n')]);
    const cut = encode(lines(message("é"))).slice(0, -4);
    return survives([
      { name: "wrong.bin", bytes: wrong },
      { name: "frames.bin", bytes: Uint8Array.from([0, 0, 0, 16, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]) },
      { name: "sse", bytes: within('data: {"id":"'), as: "openai-chat" },
      { name: "deltas", bytes: within('{"kind":"text","payload":{"textDelta":"'), as: "deltas" },
      { name: "message", bytes: within('{"role":"user","parts":{"a":"'), as: "message" },
      { name: "cut", bytes: cut, as: "history" },
      { name: "empty", bytes: "" },
      { name: "zeros", bytes: new Uint8Array(1000) },
    ]);
  });

  test("documents with a member missing, or of another type", () => {
    const { report = [], session = [], message: messages = [], history = [] } = documents();
    const whole = [...report, ...session.slice(0, 1), ...messages.slice(0, 1), ...history.slice(0, 1)];
    return survives(
      whole.flatMap(({ name, bytes, as }) => {
        const text = new TextDecoder().decode(bytes);
        const places = [...text.matchAll(/"[a-zA-Z]+": ?(?=["\d[{tfn])/g)].map(({ index }) => index);
        // A few places of each document, spread over it.
        const chosen = places.filter((_, at) => at % Math.ceil(places.length / 6) === 0);
        return chosen.flatMap((at) => [
          {
            name: `${name} without ${at}`,
            as: as ?? "json",
            bytes: `${text.slice(0, at)}"x": 0, "x${text.slice(at + 1)}`,
          },
          { name: `${name} with a number ${at}`, as: as ?? "json", bytes: numberAt(text, at) },
        ]);
      }),
    );
  });
});

function loss(): object {
  return { pointer: `/${SCRIPT}`, code: "__proto__", severity: "constructor", detail: SCRIPT };
}

/** Returns a JSON text in which the string, number or list of a member is another value. */
function numberAt(text: string, at: number): string {
  const head = text.slice(0, at);
  const [member = ""] = /^"[a-zA-Z]+": ?/.exec(text.slice(at)) ?? [];
  const rest = text.slice(at + member.length);
  return `${head}${member}${rest.replace(/^("(?:[^"\\]|\\.)*"|[\d.]+|true|false|null|\[\]|\{\})/, "1e400")}`;
}

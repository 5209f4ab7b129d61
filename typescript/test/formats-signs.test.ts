/** Which formats documents and events show: the shared cases, and what the other fixtures show. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FORMATS, type Sniffed, sniff, sniffEvents } from "../src/formats/index.js";
import { MOST } from "../src/generated/tables/format-signs.js";
import { ROOT } from "./fixtures.js";

type Pairs = readonly (readonly [format: string, place: string])[];

interface Case {
  readonly name: string;
  readonly sniff?: unknown;
  readonly sniff_events?: readonly unknown[];
  readonly source?: unknown;
  readonly events?: readonly unknown[];
  readonly expect: {
    readonly formats?: Pairs;
    readonly shown?: Readonly<Record<string, Pairs>>;
    readonly document?: unknown;
    readonly events?: readonly unknown[];
  };
}

const FOLDER = join(ROOT, "fixtures", "formats");
const casesOf = (file: string): readonly Case[] =>
  (JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as { cases: readonly Case[] }).cases;
const pairs = (found: readonly Sniffed[]): Pairs => found.map(({ format, place }) => [format, place]);

describe("signs.json", () => {
  test.each(casesOf("signs.json"))("$name", (each) => {
    const found = each.sniff_events === undefined ? sniff(each.sniff) : sniffEvents(each.sniff_events);
    expect(pairs(found)).toEqual(each.expect.formats);
  });
});

/** What the document or the events of a case show, read or written; nothing where it has none. */
function shownBy({ source, events, expect: made }: Case): Pairs | undefined {
  const list = events ?? made.events;
  if (list !== undefined) return pairs(sniffEvents(list));
  const document = source ?? made.document;
  return document === undefined ? undefined : pairs(sniff(document));
}

test("documents and events of the other fixtures show what they show in Python", () => {
  const files = readdirSync(FOLDER).filter((file) => !file.startsWith("signs"));
  const found = files.flatMap(casesOf).map((each) => [each.name, shownBy(each)] as const);
  const [written] = casesOf("signs-shown.json");
  expect(Object.fromEntries(found.filter(([, each]) => each !== undefined))).toEqual(written?.expect.shown);
  expect(found.length).toBeGreaterThan(500);
});

test("each format that is known here is found", () => {
  const found = casesOf("signs.json").flatMap((each) => each.expect.formats ?? []);
  const names = new Set(found.map(([format]) => format));
  expect([...FORMATS.keys()].filter((name) => !names.has(name))).toEqual([]);
});

test("only the first entries and blocks are looked at, and what holds itself has an end", () => {
  const most = Array.from({ length: MOST }, () => ({}));
  const sign = { functionCall: {} };
  expect(sniff([...most.slice(1), { parts: [sign] }]).length).toBe(1);
  expect(sniff([...most, { parts: [sign] }])).toEqual([]);
  const ours: { role: string; parts: unknown[] } = { role: "user", parts: [] };
  ours.parts.push(ours);
  expect(sniff(ours)).toEqual([]);
});

test("only own members are looked at", () => {
  const inherited = JSON.parse('{"__proto__": {"contents": []}, "toString": 1}') as object;
  expect(sniff(inherited)).toEqual([]);
  expect(sniffEvents(["constructor", { type: "constructor" }, Object.create({ type: "RAW" })])).toEqual([]);
});

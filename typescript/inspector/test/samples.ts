/** What is shown to the page in tests: fixtures, examples, recordings, and a report of each command. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ADAPTERS } from "partwire/providers";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const RECORDINGS = process.env["PARTWIRE_RECORDINGS"] ?? join(ROOT, "../shared/recordings");
/** Whether the recordings are on this machine: they are not part of the project. */
export const hasRecordings = existsSync(join(RECORDINGS, "data"));

export interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly as?: string;
  readonly run?: boolean;
  readonly history?: boolean;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const lines = (values: readonly unknown[]): Uint8Array =>
  encode(values.map((each) => `${JSON.stringify(each)}\n`).join(""));
const json = (value: unknown): Uint8Array => encode(JSON.stringify(value));

/** The folders that have a folder for each dialect. */
const FOLDERS: Readonly<Record<string, string>> = {
  "fixtures v0.2": join(ROOT, "fixtures/v0.2/providers"),
  "fixtures v0.3": join(ROOT, "fixtures/v0.3/providers"),
  ...(hasRecordings ? { recordings: join(RECORDINGS, "data") } : {}),
};

/** Returns the providers' streams of all dialects. */
export function providerStreams(): Sample[] {
  return Object.entries(FOLDERS).flatMap(([where, folder]) =>
    [...ADAPTERS.keys()].flatMap((as) =>
      filesOf(join(folder, as)).map((path) => ({
        name: `${where}: ${as}/${path.slice(path.lastIndexOf("/") + 1)}`,
        as,
        bytes: new Uint8Array(readFileSync(path)),
      })),
    ),
  );
}

/** Returns the largest stream of each place, dialect and framing. */
export function largestStreams(): Sample[] {
  const largest = new Map<string, Sample>();
  for (const each of providerStreams()) {
    const key = `${each.name.replace(/\/.*$/, "")}${extname(each.name)}`;
    if (each.bytes.length > (largest.get(key)?.bytes.length ?? -1)) largest.set(key, each);
  }
  return [...largest.values()];
}

function filesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** Returns the streams among the examples. */
export function examples(): Sample[] {
  return filesOf(join(ROOT, "examples/streams")).map((path) => ({
    name: path.slice(path.lastIndexOf("/") + 1),
    bytes: new Uint8Array(readFileSync(path)),
  }));
}

/** Returns one of the examples. */
export function example(name: string): Sample {
  return { name, bytes: new Uint8Array(readFileSync(join(ROOT, "examples/streams", name))) };
}

interface Case {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** Returns the cases of a suite of the contract's fixtures, of both versions that are in folders. */
function cases(suite: string, topic?: string): Case[] {
  return ["v0.2", "v0.3"].flatMap((version) =>
    filesOf(join(ROOT, "fixtures", version, suite))
      .filter((path) => topic === undefined || path.endsWith(`/${topic}.json`))
      .flatMap((path) => (JSON.parse(readFileSync(path, "utf8")) as { cases: Case[] }).cases),
  );
}

/** Returns the cases of a format's fixtures. */
function casesOf(format: string): Case[] {
  const path = join(ROOT, `fixtures/formats/${format}.json`);
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: Case[] }).cases;
}

const withMember = (suite: Case[], member: string, as: string, bytesOf: (value: never) => Uint8Array): Sample[] =>
  suite.flatMap((each) =>
    each[member] === undefined ? [] : [{ name: each.name, as, bytes: bytesOf(each[member] as never) }],
  );

/** Returns documents that are not streams, by what they are; right and wrong ones. */
export function documents(): Readonly<Record<string, readonly Sample[]>> {
  const runs = ["ai-sdk", "ag-ui"].flatMap((format) =>
    withMember(casesOf(`${format}-streams`), "events", format, lines).map((each) => ({ ...each, run: true })),
  );
  const histories = ["ai-sdk", "ag-ui", "openai-chat", "anthropic-messages", "gemini"].flatMap((format) =>
    withMember(casesOf(format), "source", format, json).map((each) => ({ ...each, history: true })),
  );
  return {
    deltas: withMember(cases("streams"), "deltas", "deltas", lines),
    chunks: cases("chunks").flatMap(({ name, chunks, expect }) => {
      const given = chunks ?? (expect as { readonly chunks?: unknown }).chunks;
      return Array.isArray(given) ? [{ name, as: "chunks", bytes: lines(given) }] : [];
    }),
    message: withMember(cases("documents", "message.Message"), "document", "message", json),
    history: withMember(cases("histories"), "messages", "history", lines),
    session: [
      ...withMember(cases("documents", "session.WithParts"), "document", "session", json),
      ...cases("bridges").flatMap(({ name, type, input }) =>
        type === "session.WithParts" ? [{ name, as: "session", bytes: json(input) }] : [],
      ),
    ],
    run: runs,
    "history of a format": histories,
    report: filesOf(join(ROOT, "typescript/inspector/test/reports")).map((path) => ({
      name: path.slice(path.lastIndexOf("/") + 1),
      as: "report",
      bytes: new Uint8Array(readFileSync(path)),
    })),
  };
}

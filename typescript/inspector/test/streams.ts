/** Every stream among the fixtures and, where they are, the recordings. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { heldBy, type OpenedStream, open } from "../src/model/opened.js";
import type { Recording } from "../src/model/recording.js";
import type { As, Source } from "../src/model/sources.js";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const RECORDINGS = process.env["PARTWIRE_RECORDINGS"] ?? join(ROOT, "..", "shared", "recordings");

export interface Sample {
  readonly name: string;
  readonly source: Source;
  readonly as: As;
}

interface Case {
  readonly name: string;
  readonly deltas?: readonly unknown[];
  readonly chunks?: readonly unknown[];
  readonly events?: readonly unknown[];
  readonly input_file?: string;
}

interface Topic {
  readonly api?: string;
  readonly format?: string;
  readonly cases: readonly Case[];
}

/** Returns the streams of a folder's topics: deltas, chunks, runs and what providers send. */
export function fixtures(folder: string): Sample[] {
  const path = join(ROOT, "fixtures", folder);
  return readdirSync(path)
    .filter((name) => name.endsWith(".json"))
    .flatMap((file) => {
      const topic = JSON.parse(readFileSync(join(path, file), "utf8")) as Topic;
      return topic.cases.flatMap((each) => samplesOf(each, topic, path));
    });
}

function samplesOf({ name, deltas, chunks, events, input_file }: Case, { api, format }: Topic, path: string): Sample[] {
  if (input_file !== undefined && api !== undefined) {
    return [
      { name, as: { as: api }, source: { id: 0, name, bytes: new Uint8Array(readFileSync(join(path, input_file))) } },
    ];
  }
  const lines = (values: readonly unknown[]): Source => ({
    id: 0,
    name,
    bytes: new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join("")),
  });
  return [
    ...(deltas === undefined ? [] : [{ name, as: { as: "deltas" }, source: lines(deltas) }]),
    ...(chunks === undefined ? [] : [{ name, as: { as: "chunks" }, source: lines(chunks) }]),
    ...(events === undefined || format === undefined
      ? []
      : [{ name, as: { as: format, run: true }, source: lines(events) }]),
  ];
}

export function examples(): Sample[] {
  return readdirSync(join(ROOT, "examples", "streams")).map((name) =>
    fileSample(join(ROOT, "examples", "streams", name)),
  );
}

/** Returns the recordings of providers; none where they are missing. */
export function recordings(): Sample[] {
  const data = join(RECORDINGS, "data");
  if (!existsSync(data)) return [];
  return readdirSync(data).flatMap((dialect) =>
    readdirSync(join(data, dialect)).map((name) => fileSample(join(data, dialect, name), { as: dialect })),
  );
}

function fileSample(path: string, as?: As): Sample {
  const source = { id: 0, name: path, bytes: new Uint8Array(readFileSync(path)) };
  return { name: path, source, as: as ?? heldBy(source)[0] ?? {} };
}

export function recordingOf({ source, as, name }: Sample): Recording {
  const opened = open(source, as);
  if (opened.view !== "stream") throw new Error(`${name} is shown as ${opened.view}`);
  return (opened as OpenedStream).recording;
}

/** Returns a recording of deltas: their kind and payload, and the milliseconds at which they come. */
export function recordingOfDeltas(
  deltas: readonly (readonly [kind: string, payload: object, ms?: number])[],
): Recording {
  const lines = deltas.map(([kind, payload, ms = 0], seq) =>
    JSON.stringify({ kind, runId: "run", seq, payload, timestamp: new Date(Date.UTC(2026, 0, 2) + ms).toISOString() }),
  );
  const bytes = new TextEncoder().encode(lines.join("\n"));
  return recordingOf({ name: "deltas", as: { as: "deltas" }, source: { id: 0, name: "deltas", bytes } });
}

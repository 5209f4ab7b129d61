/** The documents among the contract's fixtures. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import type { Version } from "../src/index.js";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export interface DocumentCase {
  readonly version: Version;
  readonly type: string;
  readonly value: unknown;
}

interface Topic {
  readonly type: string;
  readonly cases: readonly { readonly document?: unknown; readonly document_text?: string }[];
}

/** Returns every document of the suite `documents`, right and wrong. */
export function documents(): DocumentCase[] {
  return (["v0.1", "v0.2"] as const).flatMap((version) =>
    topics(version).flatMap((text) => {
      const { type, cases } = JSON.parse(text) as Topic;
      return cases.map(({ document, document_text }) => ({
        version,
        type,
        value: document_text === undefined ? document : (JSON.parse(document_text) as unknown),
      }));
    }),
  );
}

/** The files of the suite: of a version's folder, or of the archive in its place. */
function topics(version: Version): string[] {
  const folder = join(ROOT, "fixtures", version, "documents");
  if (existsSync(folder)) {
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  }
  const archive = unpacked(readFileSync(join(ROOT, "fixtures", `${version}.zip`)));
  return [...archive].flatMap(([name, data]) =>
    name.startsWith(`${version}/documents/`) ? [data().toString("utf8")] : [],
  );
}

/** The files of a ZIP archive, by name, each unpacked when it is asked for. */
function unpacked(zip: Buffer): Map<string, () => Buffer> {
  const files = new Map<string, () => Buffer>();
  const end = zip.lastIndexOf("PK\x05\x06");
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [packed, length] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    files.set(zip.toString("utf8", at + 46, at + 46 + length), () =>
      inflateRawSync(zip.subarray(start, start + packed)),
    );
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}

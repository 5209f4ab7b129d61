/** The documents among the contract's fixtures. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Version } from "../src/index.js";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export interface DocumentCase {
  readonly version: Version;
  readonly type: string;
  readonly value: unknown;
}

/** Returns every document of the suite `documents`, right and wrong. */
export function documents(): DocumentCase[] {
  return (["v0.1", "v0.2"] as const).flatMap((version) => {
    const folder = join(ROOT, "fixtures", version, "documents");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return files
      .filter((file) => /(?:valid|invalid)[/\\][^/\\]+\.json$/.test(file))
      .map((file) => {
        const type = file.split(/[/\\]/).slice(0, 2).join(".");
        return { version, type, value: JSON.parse(readFileSync(join(folder, file), "utf8")) as unknown };
      });
  });
}

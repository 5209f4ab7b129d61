/** The recorded public names are those that the package's entries really have. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { LATEST_VERSION } from "../src/contract/current/index.js";
import { ROOT } from "./fixtures.js";

const FOLDER = join(ROOT, "schemas", "bindings", LATEST_VERSION, "typescript");

/** The names of an entry, which are one a line, with what each is. */
function namesOf(entry: string): Map<string, string> {
  const lines = readFileSync(join(FOLDER, `${entry}.txt`), "utf8")
    .trimEnd()
    .split("\n");
  return new Map(lines.map((line) => line.split(" ", 2) as [string, string]));
}

const entries = Object.entries(manifest.exports).flatMap(([entry, target]): [string, string][] =>
  typeof target === "string" ? [] : [[entry.replace(".", "partwire"), target.default.replace("./dist/", "../src/")]],
);

test.each(entries)("%s exports what is recorded", async (entry, file) => {
  const module: object = await import(file.replace(/\.js$/, ".ts"));
  const values = [...namesOf(entry)].filter(
    ([name, kind]) => !name.includes(".") && ["class", "function", "const"].includes(kind),
  );
  expect(values.length).toBeGreaterThan(0);
  expect(values.map(([name]) => name).sort()).toEqual(Object.keys(module).sort());
});

/** The recorded public names are those that the package's entries really have. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { LATEST_VERSION } from "../src/contract/current/index.js";
import { ROOT } from "./fixtures.js";

const path = join(ROOT, "schemas", "bindings", LATEST_VERSION, "typescript.json");
const names: Record<string, string> = JSON.parse(readFileSync(path, "utf8")).names;
const entries = Object.entries(manifest.exports).flatMap(([entry, target]): [string, string][] =>
  typeof target === "string" ? [] : [[entry.replace(".", "partwire"), target.default.replace("./dist/", "../src/")]],
);

test.each(entries)("%s exports what is recorded", async (entry, file) => {
  const module: object = await import(file.replace(/\.js$/, ".ts"));
  const values = Object.keys(names).filter((name) => {
    const rest = name.startsWith(`${entry}.`) ? name.slice(entry.length + 1) : ".";
    return !rest.includes(".") && ["class", "function", "const"].includes(names[name] ?? "");
  });
  expect(values.length).toBeGreaterThan(0);
  expect(values.sort()).toEqual(
    Object.keys(module)
      .map((name) => `${entry}.${name}`)
      .sort(),
  );
});

/** The recorded public names are those that the package's entries really have. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as assembler from "../src/assembler.js";
import { LATEST_VERSION } from "../src/catalog.js";
import * as framing from "../src/framing/index.js";
import * as index from "../src/index.js";
import * as session from "../src/session/index.js";
import { ROOT } from "./fixtures.js";

const path = join(ROOT, "schemas", "bindings", LATEST_VERSION, "typescript.json");
const names: Record<string, string> = JSON.parse(readFileSync(path, "utf8")).names;
const entries: [string, object][] = [
  ["partwire", index],
  ["partwire/assembler", assembler],
  ["partwire/framing", framing],
  ["partwire/session", session],
];

test.each(entries)("%s exports what is recorded", (entry, module) => {
  const values = Object.keys(names).filter((name) => {
    const rest = name.startsWith(`${entry}.`) ? name.slice(entry.length + 1) : ".";
    return !rest.includes(".") && ["class", "function", "const"].includes(names[name] ?? "");
  });
  expect(values.sort()).toEqual(
    Object.keys(module)
      .map((name) => `${entry}.${name}`)
      .sort(),
  );
});

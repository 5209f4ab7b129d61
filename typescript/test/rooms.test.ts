/** The order of the rooms: a module imports only from its own room and from rooms below, never in a circle. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const SRC = join(dirname(fileURLToPath(import.meta.url)), "..", "src");

/** From the bottom up; rooms of one row may import each other. */
const FLOORS: readonly (readonly string[])[] = [
  ["generated/tables"],
  ["json", "errors"],
  ["contract", "generated", "compiled"],
  ["reading"],
  ["providers/framing"],
  ["convert/losses"],
  ["message"],
  ["session"],
  ["blocks"],
  ["envelope"],
  ["convert"],
  ["providers/core"],
  ["providers/request_core"],
  ["providers/anthropic"],
  ["providers/bedrock"],
  ["providers/cohere"],
  ["providers/gemini"],
  ["providers/openai_chat"],
  ["providers/openai_responses"],
  ["providers"],
  ["formats"],
  ["build"],
  ["index"],
];
/** Rooms that know nothing of each other: the folders of the providers. */
const APART = FLOORS.flat().filter((room) => /^providers\/[a-z_]+$/.test(room) && !/framing|core/.test(room));

type Graph = ReadonlyMap<string, readonly string[]>;

const modules = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
  .map((file) => file.slice(0, -3));

const graph: Graph = new Map(modules.map((module) => [module, importsOf(module)]));

function importsOf(module: string): string[] {
  const text = readFileSync(join(SRC, `${module}.ts`), "utf8");
  const found = [...text.matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]+)\.js";/gm)];
  return found.map((each) => normalize(join(dirname(module), each[1] as string)).replaceAll("\\", "/"));
}

/** Returns the room of a module: the longest that its path begins with. */
function roomOf(module: string): string {
  const fits = FLOORS.flat().filter((room) => module === room || module.startsWith(`${room}/`));
  return fits.sort((one, other) => other.length - one.length)[0] ?? `no room: ${module}`;
}

const floorOf = (room: string): number => FLOORS.findIndex((rooms) => rooms.includes(room));

/** Returns imports that lead up, or from one provider into another. */
function forbidden(imports: Graph): string[] {
  return [...imports].flatMap(([module, targets]) => {
    const room = roomOf(module);
    return targets
      .filter((target) => {
        const other = roomOf(target);
        const aside = APART.includes(room) && APART.includes(other) && room !== other;
        return aside || floorOf(other) > floorOf(room) || floorOf(other) < 0;
      })
      .map((target) => `${module} → ${target}`);
  });
}

/** Returns a circle of imports; empty where there is none. */
function circle(imports: Graph): string[] {
  const done = new Set<string>();
  const path: string[] = [];
  const walk = (module: string): string[] => {
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    if (done.has(module)) return [];
    done.add(module);
    path.push(module);
    for (const target of imports.get(module) ?? []) {
      const found = walk(target);
      if (found.length > 0) return found;
    }
    path.pop();
    return [];
  };
  for (const module of imports.keys()) {
    const found = walk(module);
    if (found.length > 0) return found;
  }
  return [];
}

test("no module imports from a room above its own, or from another provider", () => {
  expect(modules.filter((module) => floorOf(roomOf(module)) < 0)).toEqual([]);
  expect(forbidden(graph)).toEqual([]);
});

test("no imports make a circle", () => {
  expect(circle(graph)).toEqual([]);
});

describe("the checks see", () => {
  test("an import that leads up, and one from provider to provider", () => {
    const wrong = new Map([
      ["json/text", ["reading/index"]],
      ["providers/gemini/stream", ["providers/core/ids", "providers/cohere/stream"]],
    ]);
    expect(forbidden(wrong)).toEqual([
      "json/text → reading/index",
      "providers/gemini/stream → providers/cohere/stream",
    ]);
  });

  test("a circle, through however many modules", () => {
    const imports = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b"]],
    ]);
    expect(circle(imports)).toEqual(["b", "c", "b"]);
  });

  test("the imports that are there", () => {
    expect(importsOf("index")).toContain("message/assembler/index");
    expect([...graph.values()].flat().length).toBeGreaterThan(400);
  });
});

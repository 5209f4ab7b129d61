/**
 * The driver of the TypeScript implementation: JSON Lines on standard input, answers on standard
 * output, as docs/conformance.md says. It wants the built package: `npm run build`.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import * as partwire from "../dist/index.js";
import manifest from "../package.json" with { type: "json" };
import { OPERATIONS } from "./operations/index.js";
import { Skip } from "./operations/values.js";

const started = {
  type: "started",
  protocol: 1,
  implementation: {
    name: "partwire-ts",
    version: manifest.version,
    language: `TypeScript on Node ${process.versions.node}`,
  },
  versions: partwire.VERSIONS,
  operations: [...OPERATIONS.keys()],
};

function answer(request) {
  if (request.type === "start") return started;
  const { id, operation, version, input } = request;
  const run = OPERATIONS.get(operation);
  if (run === undefined) return { type: "skipped", id, reason: `The TypeScript package has no ${operation}` };
  try {
    return { type: "result", id, result: run(input, version) };
  } catch (error) {
    if (error instanceof Skip) return { type: "skipped", id, reason: error.message };
    return { type: "errored", id, message: String(error?.stack ?? error).slice(-2000) };
  }
}

/** Writes all of a line: standard output may be a pipe that takes no more for now. */
function write(line) {
  const bytes = Buffer.from(`${line}\n`, "utf8");
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  const request = JSON.parse(line);
  if (request.type === "stop") break;
  write(partwire.stringify(answer(request)));
}
process.exit(0);

/**
 * How long streams take, beside the libraries that people use today:
 * node bench.js [--quick] [--markdown FILE]. It prints one section of Markdown, and writes it to FILE. The exit
 * status is 1 where a result is wrong; a target that is not met is in the table, and nothing more.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { measureInterface } from "./interface.js";
import { measureLines } from "./lines.js";
import { measureProviders } from "./providers.js";
import { section, table } from "./report.js";

const { values: options } = parseArgs({ options: { quick: { type: "boolean" }, markdown: { type: "string" } } });
const problems = new Set();
const plan = {
  sizes: options.quick ? [100, 1_000, 10_000] : [100, 1_000, 10_000, 100_000],
  capUs: options.quick ? 20e6 : 60e6,
  startUs: options.quick ? 200_000 : 1_000_000,
  settings: options.quick
    ? { rounds: 3, sampleUs: 10_000, warmUs: 50_000 }
    : { rounds: 7, sampleUs: 20_000, warmUs: 200_000 },
  wrong: (problem) => problems.add(problem),
};

const parts = [await measureProviders(plan), await measureLines(plan), await measureInterface(plan)];
const costs = {
  title: "fixed cost of a stream, and cost per event",
  note: "From a short and a long stream of one kind, in µs of CPU time; a cost that grows with the square is not seen.",
  text: table(
    ["", "fixed, µs", "per event, µs"],
    parts.flatMap((part) => part.costs),
  ),
};
const page = section(
  parts.flatMap((part) => part.targets),
  [...parts.flatMap((part) => part.tables), costs],
);
console.log(page);
if (options.markdown !== undefined) await writeFile(options.markdown, page);
for (const problem of problems) console.error(`wrong: ${problem}`);
process.exit(problems.size > 0 ? 1 : 0);

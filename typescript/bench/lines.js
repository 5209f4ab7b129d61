/** JSON Lines of deltas → message, as a multiple of the floor: JSON.parse of the same lines. */
import { isDeepStrictEqual } from "node:util";
import { assemble } from "../dist/index.js";
import { deltas, due, written } from "./content.js";
import { median, ratio, rounds } from "./measure.js";
import { microseconds, table, times } from "./report.js";

const COUNTS = [100, 1_000, 10_000];
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Each way in, the floor of it, and the form in which both are given the lines. */
const WAYS = [
  {
    name: "lines of text",
    given: (lines) => lines,
    floor: (lines) => lines.map((line) => JSON.parse(line)),
  },
  {
    name: "lines of bytes",
    given: (lines) => lines.map((line) => encoder.encode(line)),
    floor: (lines) => lines.map((line) => JSON.parse(decoder.decode(line))),
  },
  {
    name: "one buffer",
    given: (lines) => encoder.encode(`${lines.join("\n")}\n`),
    floor: (bytes) => {
      const lines = decoder.decode(bytes).split("\n");
      return lines.slice(0, -1).map((line) => JSON.parse(line));
    },
  },
];

/** Measures; returns a table, a target, and rows of fixed and further cost. */
export async function measureLines({ settings, wrong }) {
  const rows = [];
  for (const mix of ["text", "arguments"]) {
    for (const way of WAYS) rows.push({ mix, name: way.name, cells: await measureWay(mix, way, settings, wrong) });
  }
  const note = `The whole stream into \`assemble\`, every line decoded and checked, as a multiple of the floor: \`JSON.parse\` of the
same lines, and of bytes also what makes text of them. Columns are pieces of content.`;
  const head = ["", ...COUNTS.map((count) => count.toLocaleString("en")), "floor, µs per line"];
  const body = rows.map(({ mix, name, cells }) => [
    `${name}, ${mix}`,
    ...cells.map(({ value }) => times(value)),
    microseconds(cells.at(-1).floor),
  ]);
  return {
    tables: [{ title: "JSON Lines", note, text: table(head, body) }],
    targets: [targetOf(rows)],
    costs: rows.map(costOf),
  };
}

async function measureWay(mix, { name, given, floor }, settings, wrong) {
  const cells = [];
  for (const count of COUNTS) {
    const lines = written(deltas(mix, count));
    const input = given(lines);
    const run = () => {
      const [part] = assemble(input).parts;
      const result = part.kind === "text" ? part.payload.text : part.payload.arguments;
      if (!isDeepStrictEqual(result, due(mix, count))) wrong(`another result for ${name}, ${mix}, ${count}`);
    };
    run();
    const [ours, floors] = await rounds([() => assemble(input), () => floor(input)], settings);
    const value = ratio(ours, floors);
    cells.push({ count, value, ours: median(ours), floor: median(floors) / lines.length });
    console.error(`${name}, ${mix}, ${count}: ${times(value)}`);
  }
  return cells;
}

function targetOf(rows) {
  return {
    target: "JSON Lines → message, against JSON.parse of the same lines",
    limit: 1.6,
    least: false,
    cases: rows.flatMap(({ mix, name, cells }) =>
      cells.map(({ count, value }) => ({ value, where: `${name}, ${mix}, ${count.toLocaleString("en")}` })),
    ),
  };
}

function costOf({ mix, name, cells: [few, many] }) {
  const each = (many.ours - few.ours) / (many.count - few.count);
  return [`partwire, ${name}, ${mix}`, microseconds(Math.max(0, few.ours - few.count * each)), microseconds(each)];
}

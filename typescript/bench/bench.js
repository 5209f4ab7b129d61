/**
 * How long a stream takes, beside the libraries that people use today:
 * node bench.js [--quick] [--update]. Each run gives a message after every delta. Exit status 1 where a result is wrong, a
 * peer is less than 20 times slower at 10,000 deltas, or the time does not grow with the deltas.
 */
import { readFile, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { pieces } from "./content.js";
import { CONTESTANTS } from "./contestants.js";

const quick = process.argv.includes("--quick");
const SIZES = quick ? [100, 1_000, 10_000] : [100, 1_000, 10_000, 100_000];
const CAP_MS = quick ? 20_000 : 60_000;
const BUDGET_MS = 5_000; // a run that takes longer is measured once
const WARM_MS = quick ? 200 : 500;
const ROUND_MS = 20;
const ROUNDS = quick ? 5 : 15;
const TARGET = 20;
const MOST_GROWTH = 3; // per delta, over ten times the deltas; growth with the square would be 10
const problems = [];

function due(mix, count) {
  const text = pieces(mix, count).join("");
  return mix === "text" ? text : JSON.parse(text);
}

/** Returns milliseconds of the processor, of all threads: what else the machine does is not in it. */
async function spent(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns the best of several rounds, in milliseconds for one run; short runs are repeated. */
async function timed(contestant, mix, count) {
  const expected = due(mix, count);
  const content = contestant.make(mix, count);
  const once = async () => {
    const result = await contestant.run(content);
    if (!isDeepStrictEqual(result, expected)) problems.push(`${contestant.name}: a wrong result for ${mix} ${count}`);
  };
  const first = await spent(once);
  if (first > BUDGET_MS) return first;
  let warm = first;
  for (let runs = 1; warm < WARM_MS && runs < 5_000; runs++) warm += await spent(once);
  const runs = Math.max(1, Math.floor(ROUND_MS / (await spent(once))));
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const all = await spent(async () => {
      for (let run = 0; run < runs; run++) await once();
    });
    times.push(all / runs);
  }
  return Math.min(...times);
}

async function measured(mix) {
  const rows = [];
  for (const contestant of CONTESTANTS) {
    const row = { name: contestant.name, peer: contestant.peer === true, times: [] };
    for (const count of SIZES) {
      // Ten times the deltas take a hundred times as long where the time grows with the square.
      const before = row.times.at(-1);
      const isTooLong = row.peer && (before === null || (before ?? 0) * 100 > CAP_MS);
      row.times.push(isTooLong ? null : await timed(contestant, mix, count));
    }
    rows.push(row);
    console.error(`${mix}: ${row.name} ${row.times.map((time) => time?.toFixed(2) ?? "-").join(" ")}`);
  }
  return rows;
}

function judge(mix, rows) {
  const at = SIZES.indexOf(10_000);
  const [ours] = rows;
  for (const row of rows.filter((each) => each.peer && each.times[at] !== null)) {
    const factor = row.times[at] / ours.times[at];
    if (factor < TARGET) problems.push(`${mix}: ${row.name} is only ${factor.toFixed(1)} times slower`);
  }
  for (const row of rows.filter((each) => !each.peer)) {
    const growth = row.times.at(-1) / SIZES.at(-1) / (row.times.at(-2) / SIZES.at(-2));
    if (growth > MOST_GROWTH) problems.push(`${mix}: ${row.name} takes ${growth.toFixed(2)} times as long per delta`);
  }
}

function table(mix, rows) {
  const cell = (row, index) => {
    const time = row.times[index];
    if (time === null) return "–";
    const factor = row.peer ? ` (${(time / rows[0].times[index]).toFixed(0)} ×)` : "";
    return `${time < 10 ? time.toFixed(2) : time.toFixed(0)} ms${factor}`;
  };
  const head = `| ${mix} | ${SIZES.map((size) => size.toLocaleString("en")).join(" | ")} |`;
  const lines = rows.map((row) => `| ${row.name} | ${SIZES.map((_, index) => cell(row, index)).join(" | ")} |`);
  return [head, `|---|${SIZES.map(() => "--:").join("|")}|`, ...lines].join("\n");
}

const tables = [];
for (const mix of ["text", "arguments"]) {
  const rows = await measured(mix);
  judge(mix, rows);
  tables.push(table(mix, rows));
}
console.log(`\n${tables.join("\n\n")}\n`);
if (process.argv.includes("--update")) {
  const file = new URL("README.md", import.meta.url);
  const page = await readFile(file, "utf8");
  await writeFile(file, `${page.slice(0, page.indexOf("\n| text |"))}\n${tables.join("\n\n")}\n`);
}
for (const problem of problems) console.error(`wrong: ${problem}`);
process.exit(problems.length > 0 ? 1 : 0);

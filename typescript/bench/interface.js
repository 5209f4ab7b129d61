/** A message after every delta, beside the libraries that people use for it today. */
import { isDeepStrictEqual } from "node:util";
import { due, written } from "./content.js";
import { CONTESTANTS } from "./contestants.js";
import { median, rounds, spent } from "./measure.js";
import { microseconds, table } from "./report.js";

const MIXES = ["text", "arguments"];
const LONG_US = 1_000_000; // a run that takes longer is measured once

/** Measures; returns tables, targets, and rows of fixed and further cost. */
export async function measureInterface({ sizes, capUs, settings, wrong }) {
  const measured = [];
  for (const mix of MIXES) measured.push(...(await measureMix(mix, { sizes, capUs, settings, wrong })));
  return {
    tables: MIXES.map((mix) => tableOf(mix, sizes, measured)),
    targets: targetsOf(sizes, measured),
    costs: measured.map((row) => costOf(row, sizes)),
  };
}

async function measureMix(mix, { sizes, capUs, settings, wrong }) {
  const rows = CONTESTANTS.map((contestant) => ({ ...contestant, mix, times: [] }));
  for (const count of sizes) {
    const turn = [];
    for (const row of rows) {
      const lines = written(row.make(mix, count));
      const expected = due(mix, count);
      const run = async () => {
        const result = await row.run(lines);
        if (!isDeepStrictEqual(result, expected)) wrong(`${row.name}: another result for ${mix}, ${count}`);
      };
      // Ten times the events take a hundred times as long where the time grows with the square.
      const before = row.times.at(-1);
      const first = before === null || (before ?? 0) * 100 > capUs ? null : await spent(run);
      row.times.push(first);
      if (first !== null && first <= LONG_US) turn.push({ row, run });
    }
    const all = await rounds(
      turn.map(({ run }) => run),
      settings,
    );
    for (const [index, { row }] of turn.entries()) row.times[row.times.length - 1] = median(all[index]);
    console.error(`${mix} ${count}: ${rows.map((row) => `${row.name} ${row.times.at(-1) ?? "-"}`).join(", ")}`);
  }
  return rows;
}

function tableOf(mix, sizes, measured) {
  const rows = measured.filter((row) => row.mix === mix);
  const cell = (row, index) => {
    const time = row.times[index];
    if (time === null) return "–";
    const factor = row.isPeer ? ` (${(time / rows[0].times[index]).toFixed(0)} ×)` : "";
    return `${(time / 1000).toFixed(time < 10_000 ? 2 : 0)} ms${factor}`;
  };
  const head = ["", ...sizes.map((size) => size.toLocaleString("en"))];
  const note = `From JSON text of each one's own events, ${mix === "text" ? "text alone" : "one call with long arguments"}; columns
are pieces of content. In brackets: how many times as long as partwire takes. A dash: it would take over a minute.`;
  const body = rows.map((row) => [row.name, ...sizes.map((_, index) => cell(row, index))]);
  return { title: `a message after every delta, ${mix}`, note, text: table(head, body) };
}

function targetsOf(sizes, measured) {
  const at = sizes.indexOf(10_000);
  const ours = measured.filter((row) => !row.isPeer);
  const peers = measured.filter((row) => row.isPeer && row.times[at] !== null);
  const first = (mix) => ours.find((row) => row.mix === mix);
  const perDelta = (row, index) => row.times[index] / sizes[index];
  return [
    {
      target: "a message after every delta, against each peer, at 10,000",
      limit: 5,
      least: true,
      cases: peers.map((row) => ({
        value: row.times[at] / first(row.mix).times[at],
        where: `${row.name}, ${row.mix}`,
      })),
    },
    {
      target: "cost per delta, against that of a tenth of the deltas",
      limit: 3,
      least: false,
      cases: ours.map((row) => ({
        value: perDelta(row, sizes.length - 1) / perDelta(row, sizes.length - 2),
        where: `${row.name}, ${row.mix}, ${sizes.at(-1).toLocaleString("en")}`,
      })),
    },
  ];
}

function costOf({ name, mix, times: [few, many] }, [small, large]) {
  const each = (many - few) / (large - small);
  return [`${name}, ${mix}`, microseconds(Math.max(0, few - small * each)), microseconds(each)];
}

/** Bytes of a provider's response → message, against the official clients. */
import { OFFICIAL, partwire, textOf } from "./clients.js";
import { median, ratio, rounds, warm } from "./measure.js";
import { microseconds, table, times } from "./report.js";
import { cut, DIALECTS, made, recordings } from "./streams.js";

const LONG = 50; // a stream of more events is a long one
const FEW = 10;
const MANY = 1_000;
const SIZES = [200, 64 * 1024];

const label = (size) => (size < 1024 ? `${size} bytes` : `${size / 1024} KiB`);

/** Measures; returns tables, targets, and rows of fixed and further cost. */
export async function measureProviders({ settings, startUs, wrong }) {
  const rows = [];
  const costs = [];
  for (const dialect of DIALECTS) {
    await warmUp(dialect, startUs);
    for (const size of SIZES) costs.push(...(await costsOf(dialect, size, settings)));
    const streams = [...recordings(dialect).filter(({ events }) => events > LONG), made(dialect, MANY)];
    for (const stream of streams) rows.push(...(await measureStream(dialect, stream, settings, wrong)));
  }
  return { tables: [summary(rows), streamsTable(rows)], targets: [targetOf(rows)], costs };
}

async function warmUp(dialect, startUs) {
  for (const size of SIZES) {
    const chunks = cut(made(dialect, MANY).bytes, size);
    await warm(() => partwire(dialect, chunks), startUs);
    await warm(() => OFFICIAL[dialect].run(chunks), startUs);
  }
}

/** Returns a row for each way that a stream is cut; `note` says why there is no ratio. */
async function measureStream(dialect, { name, events, bytes, text }, settings, wrong) {
  const rows = [];
  for (const size of SIZES) {
    const chunks = cut(bytes, size);
    const mine = () => partwire(dialect, chunks);
    const theirs = () => OFFICIAL[dialect].run(chunks);
    const found = textOf(await mine());
    if (text !== undefined && found !== text) wrong(`partwire reads another text in ${dialect}, ${name}`);
    const note = await whyNot(theirs, OFFICIAL[dialect].text, found);
    const row = { dialect, name, events, size, note };
    if (note === "") {
      const [ours, others] = await rounds([mine, theirs], settings);
      row.ours = median(ours) / events;
      row.ratio = ratio(others, ours);
    }
    rows.push(row);
    console.error(`${dialect}, ${name}, ${label(size)}: ${note || times(row.ratio)}`);
  }
  return rows;
}

async function whyNot(theirs, text, expected) {
  try {
    return text(await theirs()) === expected ? "" : "reads another text";
  } catch {
    return "refuses the stream";
  }
}

/** Returns fixed cost and cost per event, from streams of few and of many words. */
async function costsOf(dialect, size, settings) {
  const both = [made(dialect, FEW), made(dialect, MANY)];
  const costs = [];
  for (const [name, run] of [
    ["partwire", (chunks) => partwire(dialect, chunks)],
    [OFFICIAL[dialect].name, OFFICIAL[dialect].run],
  ]) {
    const runs = both.map(({ bytes }) => {
      const chunks = cut(bytes, size);
      return () => run(chunks);
    });
    const [few, many] = (await rounds(runs, settings)).map(median);
    const each = (many - few) / (both[1].events - both[0].events);
    const fixed = Math.max(0, few - both[0].events * each);
    costs.push([`${name}, ${dialect}, ${label(size)}`, microseconds(fixed), microseconds(each)]);
  }
  return costs;
}

function targetOf(rows) {
  const compared = rows.filter((row) => row.size === SIZES[0] && row.note === "");
  return {
    target: `bytes → message against the official client, over ${LONG} events, ${label(SIZES[0])} at a time`,
    limit: 2.5,
    least: true,
    cases: compared.map((row) => ({ value: row.ratio, where: `${row.dialect}, ${row.name}` })),
  };
}

function summary(rows) {
  const body = DIALECTS.flatMap((dialect) =>
    SIZES.map((size) => {
      const all = rows.filter((row) => row.dialect === dialect && row.size === size);
      const ratios = all.filter((row) => row.note === "").map((row) => row.ratio);
      const cells = [times(median(ratios)), times(Math.min(...ratios)), times(Math.max(...ratios))];
      return [OFFICIAL[dialect].name, label(size), ...cells, `${ratios.length} of ${all.length}`];
    }),
  );
  const note = `The official client's time by ours, over streams of more than ${LONG} events: recordings, where they are to be had,
and one that is made. Bytes come from an asynchronous iterable; requests and sockets are left out. Streams that the
client refuses, or in which it reads another text, are not compared.`;
  const head = ["client", "chunks of", "median", "least", "most", "compared"];
  return { title: "provider streams, against the official clients", note, text: table(head, body) };
}

function streamsTable(rows) {
  const body = rows
    .filter(({ size }) => size === SIZES[0])
    .map((row) => {
      const other = rows.find(
        (each) => each.dialect === row.dialect && each.name === row.name && each.size !== row.size,
      );
      const cells = [row, other].flatMap(({ note, ratio: by, ours }) =>
        note === "" ? [times(by), microseconds(ours)] : [note, "–"],
      );
      return [`${row.dialect}, ${row.name}`, row.events, ...cells];
    });
  const head = ["stream", "events", ...SIZES.flatMap((size) => [label(size), "our µs per event"])];
  return { title: "provider streams, one by one", note: "As above.", text: table(head, body) };
}

/** Figures → Markdown. */

/** Returns a table; all columns but the first are figures, unless `texts` says that they are text. */
export function table(head, rows, texts = false) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 || texts ? "---" : "--:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

export function times(value) {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ×`;
}

export function microseconds(us) {
  return us.toFixed(us < 10 ? 2 : us < 100 ? 1 : 0);
}

/** One target: its cases, each a value and where it was measured; `least`: the limit is a lower one. */
export function verdict({ target, limit, least, cases }) {
  const says = `${least ? "at least" : "at most"} ${limit} ×`;
  if (cases.length === 0) return [target, says, "not measured", "", "**not met**"];
  const [worst] = cases.toSorted((one, other) => (least ? one.value - other.value : other.value - one.value));
  const missed = cases.filter(({ value }) => (least ? value < limit : value > limit)).length;
  const state = missed === 0 ? "met" : `**not met** (${missed} of ${cases.length})`;
  return [target, says, times(worst.value), worst.where, state];
}

/** Returns the section: the targets, then the tables, each with a heading and what is to be known of it. */
export function section(targets, tables) {
  const head = ["target", "limit", "measured (the worst)", "where", ""];
  const parts = tables.map(({ title, note, text }) => `### TypeScript: ${title}\n\n${note}\n\n${text}`);
  return `${[
    "## TypeScript",
    `Node ${process.versions.node}, by \`make -C typescript bench\`. Figures are CPU time, of all threads. Contestants
run in turn, round after round; ratios are the median of the rounds. The result of each is compared with the content.`,
    table(head, targets.map(verdict), true),
    ...parts,
  ].join("\n\n")}\n`;
}

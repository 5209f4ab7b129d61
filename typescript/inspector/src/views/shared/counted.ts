// One for all: it is made for every figure otherwise, and a tree that follows a stream has many.
const figures = new Intl.NumberFormat("en");

/** Returns a figure and its noun, as people read it: 1 finding, 2,000 findings. */
export function counted(figure: number, noun: string): string {
  return `${figures.format(figure)} ${noun}${figure === 1 ? "" : "s"}`;
}

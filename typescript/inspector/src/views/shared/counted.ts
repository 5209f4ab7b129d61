/** Returns a figure and its noun, as people read it: 1 finding, 2,000 findings. */
export function counted(figure: number, noun: string): string {
  return `${figure.toLocaleString("en")} ${noun}${figure === 1 ? "" : "s"}`;
}

/** The law of the bridges: there and back is the original, but for what was reported. */
import type { Loss } from "../src/convert/index.js";
import { sameJson } from "../src/json/equality.js";
import { isObject, own } from "../src/json/values.js";

type Holder = unknown[] | Record<string, unknown>;

const tokensOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

function holderOf(value: unknown, tokens: readonly string[]): unknown {
  let node = value;
  for (const token of tokens.slice(0, -1)) {
    if (Array.isArray(node)) node = node[Number(token)];
    else node = isObject(node) ? own(node, token) : undefined;
  }
  return node;
}

/** Takes the reported members and items out of `value`. */
function takeOut(value: unknown, losses: readonly Loss[]): void {
  const places = [...new Set(losses.map((loss) => loss.pointer))].map(tokensOf);
  const marks = places.map((tokens) => [holderOf(value, tokens) as Holder, tokens.at(-1) ?? ""] as const);
  const gone = new Map<unknown[], Set<number>>();
  for (const [holder, token] of marks) {
    if (Array.isArray(holder)) gone.set(holder, (gone.get(holder) ?? new Set()).add(Number(token)));
    else if (isObject(holder)) delete holder[token];
  }
  for (const [array, indexes] of gone)
    array.splice(0, array.length, ...array.filter((_, index) => !indexes.has(index)));
}

/** Returns where the place is once the items `gone` are out of `original`. */
function movedPointer(pointer: string, original: unknown, gone: ReadonlySet<string>): string {
  let [at, moved] = ["", ""];
  for (const raw of pointer.split("/").slice(1)) {
    const holder = holderOf(original, [...tokensOf(at), raw]);
    let step = Number(raw);
    for (let index = 0; index < Number(raw); index++) if (gone.has(`${at}/${index}`)) step--;
    moved += Array.isArray(holder) ? `/${step}` : `/${raw}`;
    at += `/${raw}`;
  }
  return moved;
}

/** Returns both sides where the law does not hold, else undefined. */
export function difference(
  original: unknown,
  returned: unknown,
  losses: readonly Loss[],
): readonly [unknown, unknown] | undefined {
  const isItem = (loss: Loss): boolean => Array.isArray(holderOf(original, tokensOf(loss.pointer)));
  // Content that is expressed in another way has to come back as it was.
  const gone = losses.filter((loss) => isItem(loss) && loss.severity !== "info");
  const out = new Set(gone.map((loss) => loss.pointer));
  const inside = (loss: Loss): boolean => [...out].some((pointer) => loss.pointer.startsWith(`${pointer}/`));
  const members = losses.filter((loss) => !isItem(loss) && !inside(loss));
  const moved = members.map((loss) => ({ ...loss, pointer: movedPointer(loss.pointer, original, out) }));
  const [left, right] = [structuredClone(original), structuredClone(returned)];
  takeOut(left, [...members, ...gone]);
  takeOut(right, moved);
  return sameJson(left, right) ? undefined : [left, right];
}

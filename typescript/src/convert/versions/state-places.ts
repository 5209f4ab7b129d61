/** Provider state that stands at another part than it belongs to, as late state of a stream does. */
import { own } from "../../json/values.js";
import { hasForm, isCarrier, isText, OFFSET, otherText, type Part } from "./opaque-state.js";
import type { Json } from "./walk.js";

/** A part with the index that it had; a part that is new has the last one's. */
export type Placed = readonly [number, Part];

interface Opaque extends Json {
  readonly provider: string;
  readonly data: Json;
}

/**
 * Returns parts of v0.2 with each item of state where it belongs, and which parts that changed.
 * `partOffset` of an item says how many parts further on that is; v0.1, which has all state in one
 * place, says it by the index. What belongs behind the last part gets a part of its own, and a part that
 * was there for such state alone is left out.
 */
export function settled(parts: readonly Part[]): { parts: Placed[]; changed: number[] } {
  const places = new Map<number, Json[]>();
  const givers = new Map<number, string>(); // the provider of what a part is given
  const changed = new Set<number>();
  for (const [index, part] of parts.entries()) {
    for (const given of itemsOf(part)) {
      const target = targetOf(given, index, parts);
      const moved = target !== index;
      const { [OFFSET]: _, ...others } = given;
      const there = places.get(target);
      if (there === undefined) places.set(target, [moved ? others : given]);
      else there.push(moved ? others : given);
      if (!moved) continue;
      givers.set(target, opaqueOf(part)?.provider ?? "");
      changed.add(index).add(target);
    }
  }
  if (changed.size === 0) return { parts: [...parts.entries()], changed: [] };
  const end = parts.length - 1;
  const made = [...parts];
  if (changed.has(parts.length)) made.push({ kind: otherText(parts[end]), payload: { text: "" } });
  const kept = made.flatMap((part, index): Placed[] => {
    const before = Math.min(index, end);
    if (!changed.has(index)) return [[before, part]];
    const after = withItems(part, places.get(index) ?? [], givers.get(index) ?? "");
    return saysAnything(after) ? [[before, after]] : [];
  });
  return { parts: kept, changed: [...changed].filter((index) => index <= end).sort((one, other) => one - other) };
}

function opaqueOf(part: Part): Opaque | undefined {
  return isCarrier(part.kind) ? (own(part.payload, "opaque") as Opaque | undefined) : undefined;
}

function itemsOf(part: Part): readonly Json[] {
  const opaque = opaqueOf(part);
  return opaque !== undefined && hasForm(opaque.data, part.kind) ? (opaque.data.items ?? []) : [];
}

/** Returns the index of the part that an item belongs to; its own, where that cannot have it. */
function targetOf(item: Json, index: number, parts: readonly Part[]): number {
  const offset = own(item, OFFSET);
  const target = Number.isSafeInteger(offset) ? index + (offset as number) : index;
  if (target === parts.length) return target;
  const part = parts[target];
  if (part === undefined || !isCarrier(part.kind)) return index;
  const opaque = opaqueOf(part);
  if (opaque === undefined) return target;
  const provider = opaqueOf(parts[index] as Part)?.provider;
  return hasForm(opaque.data, part.kind) && opaque.provider === provider ? target : index;
}

/** Returns a part with other items of state. */
function withItems(part: Part, items: readonly Json[], provider: string): Part {
  const { opaque = { provider, data: {} }, ...payload } = part.payload as { opaque?: Opaque };
  const data = { ...opaque.data, items };
  if (items.length === 0 && Object.keys(data).length === 1) return { ...part, payload };
  return { ...part, payload: { ...payload, opaque: { ...opaque, data } } };
}

/** Tells whether a part says anything without the state that it gave away. */
function saysAnything({ kind, payload }: Part): boolean {
  return !isText(kind) || payload["text"] !== "" || Object.hasOwn(payload, "opaque");
}

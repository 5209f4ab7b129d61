/**
 * What came where tolerant reading took a safe default: kept beside the member, under a symbol, which
 * a copy by spreading takes along; `structuredClone` and `JSON.stringify` do not know it.
 */
import { own } from "../json/values.js";

const RAW = Symbol.for("partwire.raw");

/** Member → the safe default that was taken, and what came. */
type Raws = Record<string, { readonly taken: string; readonly raw: string }>;

/** Keeps what came for a member that reads as `taken`. */
export function keepRaw(holder: object, name: string, taken: string, raw: string): void {
  const raws = ((holder as { [RAW]?: Raws })[RAW] ??= Object.create(null) as Raws);
  raws[name] = { taken, raw };
}

/**
 * Returns the value that came for a member which tolerant reading gave its safe default; undefined
 * for any other member, also for one that has been set to something else since.
 */
export function rawValue(holder: object, name: string): string | undefined {
  const kept = (holder as { [RAW]?: Raws })[RAW]?.[name];
  return kept !== undefined && own(holder, name) === kept.taken ? kept.raw : undefined;
}

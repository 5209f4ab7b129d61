/**
 * Which version two peers speak: the best one that both know. Versions are ordered, and each takes in
 * the older ones, so the best is the newest that both know. A peer that wants it otherwise says so by
 * weights, as HTTP's Accept has them (RFC 9110, 12.4.2): `v0.2;q=0.5, v0.1`. A weight of 0 excludes; `*`
 * means every version that is not named.
 */

import { badArgument, clip, errorAt, PartwireError, type UsageError } from "../../errors.js";
import { MOST_OFFERS } from "../../generated/tables/limits.js";
import { VERSIONS } from "../../generated/versions.js";

const VERSION = /^v(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$/;
const OFFER =
  /^[ \t]*(v(?:0|[1-9][0-9]{0,5})\.(?:0|[1-9][0-9]{0,5})|\*)[ \t]*(?:;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/;
/** No version that both peers know, or an offer that is none. */
export class NegotiationError extends PartwireError {}

/**
 * Returns the version that both sides know: the greatest weight, then the newest. `offers` is a list of
 * versions, or one text with commas between them; each may have a weight. Their order says nothing.
 * `supported` are the versions of this side, by default all that this package knows. Throws
 * NegotiationError `negotiate/no-common-version` and `negotiate/invalid-offer`, UsageError
 * `usage/invalid-argument` for `supported`, and for offers that are not a list.
 */
export function negotiate(offers: string | Iterable<string>, supported: Iterable<string> = VERSIONS): string {
  const mine = checked(supported).sort((one, other) => numberOf(other) - numberOf(one));
  const weights = weighed(offers);
  const others = weights.get("*") ?? 0;
  let [best, most] = [undefined as string | undefined, 0];
  for (const version of mine) {
    const weight = weights.get(version) ?? others;
    if (weight > most) [best, most] = [version, weight];
  }
  if (best !== undefined) return best;
  const expected = mine.reverse().join(", ") || "nothing";
  const actual = clip([...weights.keys()].join(", ") || "no offer");
  const message = "No offered version is supported";
  throw new NegotiationError(errorAt("", "negotiate/no-common-version", message, expected, actual));
}

/** Returns the weight of each offer, the greatest where it is made again. */
function weighed(offers: unknown): Map<string, number> {
  const isText = typeof offers === "string";
  const weights = new Map<string, number>();
  let count = 0;
  for (const text of isText ? offers.split(",") : iterated(offers)) {
    const isEmpty = isText && /^[ \t]*$/.test(text as string);
    count++;
    if (isEmpty) continue; // RFC 9110 has readers pass over empty elements
    const match = typeof text === "string" ? OFFER.exec(text) : null;
    if (match === null) throw invalidOffer("a version such as v0.2, and ;q=0.5 for a weight", text);
    if (count > MOST_OFFERS) throw invalidOffer(`at most ${MOST_OFFERS} offers`, text);
    const [, version = "", weight = "1"] = match;
    weights.set(version, Math.max(Number(weight), weights.get(version) ?? 0));
  }
  return weights;
}

function invalidOffer(expected: string, actual: unknown): NegotiationError {
  const message = "Not an offer of a version";
  return new NegotiationError(errorAt("", "negotiate/invalid-offer", message, expected, clip(actual)));
}

function checked(supported: unknown): string[] {
  if (typeof supported === "string") throw noList(supported);
  return [...new Set(iterated(supported))].map((version) => {
    if (typeof version !== "string" || !VERSION.test(version)) throw noList(version);
    return version;
  });
}

function iterated(values: unknown): Iterable<unknown> {
  const given = values as { [Symbol.iterator]?: unknown } | null | undefined;
  if (typeof given !== "object" || given === null || typeof given[Symbol.iterator] !== "function") throw noList(values);
  return given as Iterable<unknown>;
}

function noList(actual: unknown): UsageError {
  return badArgument("Not a list of versions", "versions such as v0.2", actual);
}

/** Returns a number that orders versions as they came. */
function numberOf(version: string): number {
  const [, major, minor] = VERSION.exec(version) ?? [];
  return Number(major) * 1_000_000 + Number(minor);
}

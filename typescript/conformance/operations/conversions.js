/** Conversions: convert. */
import { convert as converted, lossesFor } from "../../dist/convert/index.js";
import { downgrade } from "../../dist/convert/versions/index.js";
import { LATEST_VERSION, toWire } from "../../dist/index.js";
import { bytesOf, camelKeys, guarded, lossesOf, refusalOf } from "./values.js";

const decoder = new TextDecoder("utf-8", { fatal: true });

export function convert({ type, to, document, strict, accept, context = {} }, version) {
  const value = JSON.parse(decoder.decode(bytesOf(document)));
  const { ids, ...given } = context;
  const options = { type, strict, accept, ...camelKeys(given), ...(ids === undefined ? {} : { makeId: maker(ids) }) };
  return guarded(() => {
    const made = converted(value, to, options);
    const serve = (each) => served(each, made.type, version);
    const answer = Array.isArray(made.value) ? made.value.map(serve) : serve(made.value);
    return { value: answer, losses: lossesOf(lossesFor(made.losses, version)) };
  }, refusalOf);
}

/** Returns what today's code makes as the JSON value that `version` has for it. */
export function served(value, type, version) {
  const older = version === LATEST_VERSION ? value : downgrade(value, type, { to: version }).value;
  return toWire(older, type, { version });
}

function maker(ids) {
  const left = [...ids];
  return () => {
    if (left.length === 0) throw new Error("there are no more ids");
    return left.shift();
  };
}

/** Other families and other versions: convert and migrate. */
import { convert as converted, lossesFor } from "../../dist/convert/index.js";
import { DeltaDowngrade, downgrade, migrate, migrateRecord, negotiate } from "../../dist/convert/versions/index.js";
import { decodeJson, LATEST_VERSION, readWithFindings, toWire } from "../../dist/index.js";
import { bytesOf, camelKeys, guarded, lossesOf, refusalOf } from "./values.js";

const decoder = new TextDecoder("utf-8", { fatal: true });

export function convert({ type, to, document, strict, accept, context = {} }, version) {
  const parsed = JSON.parse(decoder.decode(bytesOf(document)));
  const value = Array.isArray(parsed) ? parsed.map(asDocument) : asDocument(parsed);
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

/** A string would be JSON text itself: one among values goes in as the text that it is. */
function asDocument(value) {
  return typeof value === "string" ? JSON.stringify(value) : value;
}

function maker(ids) {
  const left = [...ids];
  return () => {
    if (left.length === 0) throw new Error("there are no more ids");
    return left.shift();
  };
}

const CALLS = {
  migrate: ({ document, type, from, to, strict }) => {
    const made = migrate(bytesOf(document), type, { to, version: from, strict });
    return { value: decodeJson(made.value), losses: lossesOf(made.losses) };
  },
  deltas: ({ lines, from, to }) => {
    const type = "message.MessageDelta";
    const older = new DeltaDowngrade(to, from);
    const items = lines.map(bytesOf).flatMap((line) => {
      const delta = readWithFindings(line, type, { mode: "tolerant", version: from }).value;
      return older.feed(delta).map((each) => toWire(each, type, { version: to }));
    });
    return { items, losses: lossesOf(older.losses) };
  },
  record: ({ document, to, strict }) => {
    const made = migrateRecord(decodeJson(bytesOf(document)), { to, strict });
    return { value: made.value, losses: lossesOf(made.losses) };
  },
  negotiate: ({ offers, supported }) => ({ version: negotiate(offers, supported) }),
};

export const migrateCall = (given) => guarded(() => CALLS[given.call](given), refusalOf);

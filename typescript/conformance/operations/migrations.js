/** Other versions: migrate. */

import { DeltaDowngrade, migrate, migrateRecord, negotiate } from "../../dist/convert/versions/index.js";
import { decodeJson, readWithFindings, toWire } from "../../dist/index.js";
import { bytesOf, guarded, lossesOf, refusalOf } from "./values.js";

const CALLS = {
  migrate: ({ document, type, from, to, strict }) => {
    const made = migrate(decodeJson(bytesOf(document)), type, { to, version: from, strict });
    return { value: made.value, losses: lossesOf(made.losses) };
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

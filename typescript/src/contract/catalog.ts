/** Which types a contract version has, with the schema data and the verdict of each. */

import { verdicts as blocks1 } from "../compiled/v0_1/blocks.js";
import { verdicts as envelope1 } from "../compiled/v0_1/envelope.js";
import { verdicts as message1 } from "../compiled/v0_1/message.js";
import { verdicts as session1 } from "../compiled/v0_1/session.js";
import { verdicts as blocks2 } from "../compiled/v0_2/blocks.js";
import { verdicts as envelope2 } from "../compiled/v0_2/envelope.js";
import { verdicts as message2 } from "../compiled/v0_2/message.js";
import { verdicts as session2 } from "../compiled/v0_2/session.js";
import { clip, errorAt, UsageError } from "../errors.js";
import {
  families as families1,
  type TolerantTypes as Tolerant1,
  type Types as Types1,
} from "../generated/v0_1/index.js";
import {
  families as families2,
  type TolerantTypes as Tolerant2,
  type Types as Types2,
} from "../generated/v0_2/index.js";
import { own } from "../json/values.js";
import { type Binding, bind, type Verdict } from "./binding.js";
import type { Latest } from "./current/index.js";
import type { FamilyData } from "./nodes.js";
import { VERSIONS, type Version } from "./versions.js";

/** Types by version and name, and what tolerant reading gives for them. */
export interface Versions {
  "v0.1": { types: Types1; tolerant: Tolerant1 };
  "v0.2": { types: Types2; tolerant: Tolerant2 };
}

export type TypeName<V extends Version = Latest> = keyof Versions[V]["types"] & string;

type Verdicts = Readonly<Record<string, Verdict>>;
interface Room {
  readonly families: Readonly<Record<string, FamilyData>>;
  readonly verdicts: Readonly<Record<string, Verdicts>>;
}

const ROOMS: Readonly<Record<Version, Room>> = {
  "v0.1": {
    families: families1,
    verdicts: { message: message1, session: session1, blocks: blocks1, envelope: envelope1 },
  },
  "v0.2": {
    families: families2,
    verdicts: { message: message2, session: session2, blocks: blocks2, envelope: envelope2 },
  },
};

const bindings = new Map<string, Binding>();

/** Returns a type; throws UsageError `usage/unknown-version` or `usage/unknown-type`. */
export function bindingOf(type: string, version: string): Binding {
  if (typeof type !== "string" || typeof version !== "string") return found(type, version); // which throws
  const key = `${version} ${type}`;
  let binding = bindings.get(key);
  if (binding === undefined) bindings.set(key, (binding = found(type, version)));
  return binding;
}

function found(type: unknown, version: unknown): Binding {
  const room = typeof version === "string" ? (own(ROOMS, version) as Room | undefined) : undefined;
  if (room === undefined) {
    const known = VERSIONS.join(", ");
    throw new UsageError(errorAt("", "usage/unknown-version", "No such contract version", known, clip(version)));
  }
  const [family = "", name = "", ...rest] = typeof type === "string" ? type.split(".") : [];
  const data = own(room.families, family) as FamilyData | undefined;
  const verdict = own(room.verdicts[family] ?? {}, name) as Verdict | undefined;
  if (data === undefined || verdict === undefined || rest.length > 0) {
    const message = `No such type in ${String(version)}`;
    const expected = "a type such as message.Message";
    throw new UsageError(errorAt("", "usage/unknown-type", message, expected, clip(type)));
  }
  return bind(name, data, verdict);
}

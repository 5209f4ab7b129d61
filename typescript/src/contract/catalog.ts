/** Which types a contract version has, with the schema data and the verdict of each. */

import { clip, errorAt, UsageError } from "../errors.js";
import { ROOMS, type Room, type Versions } from "../generated/rooms.js";
import { VERSIONS, type Version } from "../generated/versions.js";
import { own } from "../json/values.js";
import { type Binding, bind, type Verdict } from "./binding.js";
import type { Latest } from "./current/index.js";
import type { FamilyData } from "./nodes.js";

/** The name of a public type of a version, such as `message.Message`. */
export type TypeName<V extends Version = Latest> = keyof Versions[V]["types"] & string;

const bindings = new Map<string, Map<string, Binding>>();

/** Returns a type; throws UsageError `usage/unknown-version` or `usage/unknown-type`. */
export function bindingOf(type: string, version: string): Binding {
  const known = bindings.get(version)?.get(type);
  if (known !== undefined) return known;
  const binding = found(type, version);
  let types = bindings.get(version);
  if (types === undefined) bindings.set(version, (types = new Map()));
  types.set(type, binding);
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

/** The types between which bridges lead: those of the current version, and none of the others. */

import { verdicts as blocks } from "../../compiled/v0_2/blocks.js";
import { verdicts as envelope } from "../../compiled/v0_2/envelope.js";
import { verdicts as message } from "../../compiled/v0_2/message.js";
import { verdicts as session } from "../../compiled/v0_2/session.js";
import { type Binding, bind, type Verdict } from "../../contract/binding.js";
import type { Finding } from "../../errors.js";
import { families } from "../../generated/v0_2/index.js";
import { findingsOf, jsonOf, type Mode, readAs } from "../../reading/checks.js";
import { unknownMembersOf } from "../../reading/tolerance.js";

const VERDICTS: Readonly<Record<string, Readonly<Record<string, Verdict>>>> = { message, session, blocks, envelope };

const bindings = new Map<string, Binding>();

/** Returns a type of the current version, which has to be there. */
export function typeOf(type: string): Binding {
  let binding = bindings.get(type);
  if (binding === undefined) bindings.set(type, (binding = found(type)));
  return binding;
}

function found(type: string): Binding {
  const [family = "", name = ""] = type.split(".");
  const [data, verdict] = [families[family], VERDICTS[family]?.[name]];
  if (data === undefined || verdict === undefined) throw new TypeError(`${type} is no type of the current version`);
  return bind(name, data, verdict);
}

/** Returns a document as it is read; throws ReadError. */
export function readDocument(document: unknown, type: string, mode: Mode): unknown {
  return readAs(typeOf(type), document, mode).value;
}

/** Returns pointers to the members that reading a document leaves out. */
export function unknownMembers(document: unknown, type: string): string[] {
  const { data, name } = typeOf(type);
  return unknownMembersOf(data, name, jsonOf(document));
}

/** Returns what is wrong with a document. */
export function validate(document: unknown, type: string): Finding[] {
  return findingsOf(typeOf(type), document);
}

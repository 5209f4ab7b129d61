/** The types between which bridges lead: those of the current version, and none of the others. */

import { type Binding, bind, type Verdict } from "../../contract/binding.js";
import * as blocks from "../../contract/current/blocks.checks.js";
import * as envelope from "../../contract/current/envelope.checks.js";
import * as message from "../../contract/current/message.checks.js";
import * as session from "../../contract/current/session.checks.js";
import type { FamilyData } from "../../contract/nodes.js";
import type { Finding } from "../../errors.js";
import { withoutText } from "../../json/documents.js";
import { findingsOf, jsonOf, type Mode, readAs } from "../../reading/checks.js";
import { unknownMembersOf } from "../../reading/tolerance.js";

/** Schema data and compiled verdicts of one family. */
interface Checks {
  readonly data: FamilyData;
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

const FAMILIES: Readonly<Record<string, Checks>> = { message, session, blocks, envelope };

const bindings = new Map<string, Binding>();

/** Returns a type of the current version, which has to be there. */
export function typeOf(type: string): Binding {
  let binding = bindings.get(type);
  if (binding === undefined) bindings.set(type, (binding = found(type)));
  return binding;
}

function found(type: string): Binding {
  const [family = "", name = ""] = type.split(".");
  const { data, verdicts } = FAMILIES[family] ?? {};
  const verdict = verdicts?.[name];
  if (data === undefined || verdict === undefined) throw new TypeError(`${type} is not a type of the current version`);
  return bind(name, data, verdict);
}

/** Returns a document as it is read; throws ReadError. */
export function readDocument(document: unknown, type: string, mode: Mode): unknown {
  return readAs(typeOf(type), withoutText(document), mode).value;
}

/** Returns pointers to the members that reading a document leaves out. */
export function unknownMembers(document: unknown, type: string): string[] {
  const { data, name } = typeOf(type);
  return unknownMembersOf(data, name, jsonOf(withoutText(document)));
}

/** Returns what is wrong with a document. */
export function validate(document: unknown, type: string): Finding[] {
  return findingsOf(typeOf(type), document);
}

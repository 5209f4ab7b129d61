/** What a caller says of a stream beside its ids: its author, its format, and its version. */

import { LATEST_VERSION } from "../../contract/current/index.js";
import type { Author, TextFormat } from "../../contract/current/message.js";
import { badArgument } from "../../errors.js";
import { DEFAULT_LIMITS, MAX_ID_CHARS } from "../../generated/tables/limits.js";
import { codePoints, isUnicode } from "../../json/text.js";
import { isObject } from "../../json/values.js";

/** The versions whose deltas adapters write. */
export type WrittenVersion = "v0.2" | "v0.3";

const VERSIONS: readonly string[] = ["v0.2", LATEST_VERSION];

/** Returns who writes a stream. Throws UsageError `usage/invalid-argument`. */
export function givenAuthor(given: string | Author | undefined): Author | undefined {
  if (given === undefined) return undefined;
  const author = typeof given === "string" ? { name: given } : given;
  if (hasOnly(author, ["name", "agentPath"])) {
    const { name, agentPath } = author;
    const isPath =
      agentPath === undefined || (Array.isArray(agentPath) && agentPath.length > 0 && agentPath.every(isName));
    const isShort = agentPath === undefined || agentPath.length <= DEFAULT_LIMITS.agents;
    const says = name !== undefined || agentPath !== undefined;
    if (says && isPath && isShort && (name === undefined || isName(name))) {
      return {
        ...(name === undefined ? {} : { name }),
        ...(agentPath === undefined ? {} : { agentPath: [...agentPath] }),
      };
    }
  }
  const expected = "a name, or an Author: name or agentPath (the names on the way to it), none empty";
  throw badArgument("No such author", expected, given);
}

/** Returns what a stream's JSON was asked for as. Throws UsageError. */
export function givenFormat(format: TextFormat | undefined): TextFormat | undefined {
  if (format === undefined) return undefined;
  if (hasOnly(format, ["name", "schemaRef"])) {
    const { name, schemaRef } = format;
    if ([name, schemaRef].every((each) => each === undefined || isName(each))) {
      return { ...(name === undefined ? {} : { name }), ...(schemaRef === undefined ? {} : { schemaRef }) };
    }
  }
  const expected = "a TextFormat: an object, with name and schemaRef where they are known";
  throw badArgument("No such format", expected, format);
}

/** Refuses author and format for a version that has neither. Throws UsageError. */
export function checkWords(version: string, author: Author | undefined, format: TextFormat | undefined): void {
  if (saysNew(version) || (author === undefined && format === undefined)) return;
  const expected = "v0.3, whose start says them, or neither author nor format";
  throw badArgument("This version has no author and no format", expected, version);
}

/** Returns whether deltas of `version` say what is new in v0.3. Throws UsageError. */
export function saysNew(version: unknown): boolean {
  if (!VERSIONS.includes(version as string)) {
    const message = "No version that adapters write";
    throw badArgument(message, VERSIONS.join(", "), version, "usage/unknown-version");
  }
  return version !== "v0.2";
}

function hasOnly(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && Object.keys(value).every((name) => names.includes(name));
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "" && isUnicode(value) && codePoints(value) <= MAX_ID_CHARS;
}

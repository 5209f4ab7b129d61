/**
 * Validation of parts. The profile `opaque` takes any non-empty session and message id, for data of
 * systems whose ids are not UUIDs; the schemas, reading and writing keep to UUIDs.
 */

import type { ValidationFinding, ValidationResult } from "../contract/current/session.js";
import { Unknown } from "../contract/unknown.js";
import { badArgument, clip, errorAt, type Finding, hasError, PartwireError, throwAny } from "../errors.js";
import { SESSION } from "../generated/severities.js";
import { EMPTY_OUTPUT_PLACEHOLDER } from "../generated/tables/tool-states.js";
import { decodeJson, isJsonText, valueFindings } from "../json/documents.js";
import { isObject, own } from "../json/values.js";
import { findingsOf, plainValue } from "../reading/checks.js";
import { PART } from "./copies.js";
import { MissingRequiredField, PartValidationError } from "./errors.js";

/** Which ids of sessions and messages are taken: UUIDs, or any text that is not empty. */
export type IdProfile = "uuid" | "opaque";

/** What a part may be given beside its content. */
export interface PartOptions {
  /** What ids of sessions and messages may be; `uuid` where absent. */
  readonly idProfile?: IdProfile;
}

/**
 * Says whether `part` is a valid part; throws for none, whatever it is. `part` is a JSON value, or
 * JSON text. Findings come in document order; warnings among them leave the part valid.
 */
export function validatePart(part: unknown, options: PartOptions = {}): ValidationResult {
  const found = partFindings(part, options.idProfile ?? "uuid");
  const findings = found.map((each): ValidationFinding => {
    const { rule, message, pointer, severity, expected, actual } = each;
    const words = { ...(expected === undefined ? {} : { expected }), ...(actual === undefined ? {} : { actual }) };
    return { rule, message, pointer, severity, ...words };
  });
  return { valid: !hasError(found), findings };
}

/**
 * Returns `part` itself if it is valid; throws PartValidationError with all errors.
 */
export function requirePart<T>(part: T, options: PartOptions = {}): T {
  const found = partFindings(part, options.idProfile ?? "uuid");
  throwAny(
    found.filter(({ severity }) => severity === "error"),
    PartValidationError,
  );
  return part;
}

/**
 * Returns the member `field` of a part; undefined where it is missing, and null counts as missing.
 * `report` is called with the error then, and may throw it. Throws UsageError for a `field` that is
 * not a string.
 */
export function getRequired(part: unknown, field: string, report?: (error: MissingRequiredField) => void): unknown {
  if (typeof field !== "string") throw badArgument("The name of a field is a string", "a string", field);
  const holder = part instanceof Unknown ? part.document : part;
  const value = isObject(holder) ? own(holder, field) : undefined;
  if (value !== undefined && value !== null) return value;
  const message = `The field ${clip(field)} is missing`;
  const finding = errorAt("", "session/missing-field", message, `a member ${clip(field)}`);
  report?.(new MissingRequiredField(finding, field));
  return undefined;
}

/** Returns what is wrong with a part, placeholders included; throws UsageError for a profile. */
function partFindings(part: unknown, idProfile: IdProfile): Finding[] {
  if (idProfile !== "uuid" && idProfile !== "opaque") throw badArgument("No such profile", "uuid or opaque", idProfile);
  let document: unknown;
  try {
    document = isJsonText(part) ? decodeJson(part) : plainValue(part);
  } catch (error) {
    if (error instanceof PartwireError) return [...error.findings];
    throw error;
  }
  const wrong = valueFindings(document);
  if (wrong.length > 0) return wrong;
  const found =
    idProfile === "opaque" ? findingsOf(PART, withStandIns(document)).flatMap(ofOpaqueId) : findingsOf(PART, document);
  return [...found, ...placeholderFindings(document, "")];
}

/** Returns the finding for a tool part whose output is the placeholder; else nothing. */
export function placeholderFindings(part: unknown, pointer: string): Finding[] {
  const state = isObject(part) ? own(part, "state") : undefined;
  if (!isObject(state) || own(state, "output") !== EMPTY_OUTPUT_PLACEHOLDER) return [];
  const message = "The tool had no output: a placeholder stands for it";
  const actual = clip(EMPTY_OUTPUT_PLACEHOLDER);
  const finding = errorAt(
    `${pointer}/state/output`,
    "session/placeholder-output",
    message,
    "the tool's output",
    actual,
  );
  return [{ ...finding, severity: SESSION["session/placeholder-output"] }];
}

// --- opaque ids -----------------------------------------------------------------------------------

const OPAQUE = ["sessionID", "messageID"] as const;
const STAND_IN = "00000000-0000-4000-8000-000000000000";

/**
 * Returns a part with a UUID in the place of every id that is a non-empty string, in it and in the
 * files of its state. Leaving out what is found of ids would not do: relations are looked at only
 * where the shape is right. No relation within a part is about these ids.
 */
function withStandIns(part: unknown): unknown {
  if (!isObject(part)) return part;
  const made = standIns(part);
  const state = own(part, "state");
  const files = isObject(state) ? own(state, "attachments") : undefined;
  if (!isObject(state) || !Array.isArray(files)) return made;
  const attachments = files.map((file: unknown) => (isObject(file) ? standIns(file) : file));
  return { ...made, state: { ...state, attachments } };
}

function standIns(holder: Record<string, unknown>): Record<string, unknown> {
  const made = { ...holder };
  for (const name of OPAQUE) {
    const id = own(holder, name);
    if (typeof id === "string" && id !== "") made[name] = STAND_IN;
  }
  return made;
}

/** Returns a finding as this profile has it: of the ids' form, only emptiness counts. */
function ofOpaqueId(finding: Finding): Finding[] {
  const name = finding.pointer.slice(finding.pointer.lastIndexOf("/") + 1);
  if (!OPAQUE.some((each) => each === name)) return [finding];
  if (finding.rule === "shape/min-length") return [{ ...finding, expected: "at least 1" }];
  return finding.rule === "shape/pattern" ? [] : [finding];
}

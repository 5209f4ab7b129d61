/**
 * Reads queue messages as the compatibility strategy asks for, and says what a document may be.
 *
 * What a sender's `schema_version` brings about: a message of a known version, ours or older, is read
 * by its own types and given as ours. One that is newer than all that we know, of the same major, is
 * read by ours and noted where reading is tolerant, and refused where it is strict. Any other is
 * refused.
 */

import { LATEST_VERSION } from "../contract/current/index.js";
import { badArgument, clip, errorAt, type Finding, ReadError } from "../errors.js";
import { ENVELOPE } from "../generated/severities.js";
import { documentOf, isBytes, withoutText } from "../json/documents.js";
import { scan } from "../json/text.js";
import { isObject, own } from "../json/values.js";
import { type Mode, type ReadResult, readAs } from "../reading/checks.js";
import {
  envelopeBinding,
  isMessageName,
  KNOWN,
  knowsMessageType,
  MESSAGE_TYPES,
  type MessageOf,
  membersOf,
  type Named,
  type Readable,
  readableName,
} from "./types.js";

/** How a queue message is read. */
export interface ParseOptions {
  /** `tolerant` where absent: what services are. */
  readonly mode?: Mode | undefined;
}

/**
 * Returns the queue message in `data` (JSON text, or a JSON value). `type` is one of
 * {@link MESSAGE_TYPES}, with or without `envelope.`, or `Envelope` for the envelope of any message.
 * What comes back is a message of the current version, whatever its sender writes: `schema_version`
 * says what that is. Throws ReadError with all findings, UsageError `usage/unknown-type` or
 * `usage/unknown-mode`.
 */
export function parse<Name extends Readable>(
  type: Named<Name>,
  data: unknown,
  options: ParseOptions = {},
): MessageOf<Name> {
  return parseWithFindings(type, data, options).value;
}

/**
 * Reads as {@link parse}, and says what was found that is not an error. The version is judged first, and
 * what the message says that it is, second: of one whose version cannot be read
 * (`envelope/unsupported-version`), or that is another message than the one asked for
 * (`envelope/message-type-mismatch`), that is all that is said. A newer version is noted
 * (`envelope/newer-version`).
 */
export function parseWithFindings<Name extends Readable>(
  type: Named<Name>,
  data: unknown,
  options: ParseOptions = {},
): ReadResult<MessageOf<Name>> {
  const mode = checkedMode(options.mode ?? "tolerant");
  const name = readableName(type);
  const said = declaredBy(data);
  const declared = said["schema_version"];
  // What is not a version at all, reading refuses by the shape of the member.
  const version = isVersion(declared) ? readingVersion(declared, mode) : LATEST_VERSION;
  if (name !== "Envelope" && knowsMessageType(version)) requireType(said["message_type"], name);
  // Of an older version all members are ours as well: what it is read as is a message of ours.
  const { value, findings } = readAs(envelopeBinding(name, version), withoutText(data), mode);
  return { value: value as MessageOf<Name>, findings: [...newer(declared, version), ...findings] };
}

/**
 * Returns the contract version by whose types a message of version `declared` is read. Throws
 * ReadError `envelope/unsupported-version`, UsageError `usage/unknown-mode`.
 */
export function readingVersion(declared: string, mode: Mode = "tolerant"): string {
  const isStrict = checkedMode(mode) === "strict";
  if (KNOWN.includes(declared)) return declared;
  const [major, minor] = numbersOf(KNOWN.at(-1) as string);
  const [ownMajor, ownMinor] = isVersion(declared) ? numbersOf(declared) : [0, 0];
  let message: string;
  if (!isVersion(declared)) {
    message = "This is not a version of the contract";
  } else if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
    message = "The sender writes by a version that is not read any more, and has to change";
  } else if (ownMajor > major) {
    message = "The sender writes by a newer contract: a newer partwire is needed to read it";
  } else if (isStrict) {
    message = "The sender writes by a newer version, which strict reading does not take";
  } else {
    return LATEST_VERSION;
  }
  const expected = KNOWN.join(" or ") + (isStrict ? "" : `, or a newer v${major}`);
  throw new ReadError(errorAt("/schema_version", "envelope/unsupported-version", message, expected, clip(declared)));
}

/**
 * Returns the types that a document may be, those that name the most of its members first.
 *
 * `document` is JSON text, or a JSON value. One that says which message it is
 * (`message_type`, since v0.2) is that alone, or nothing that is known here. Of others a type fits if
 * no member that it requires is missing; values are not looked at, so that parsing can say what is
 * wrong with them. Often several fit then: only where such a document came from distinguishes them.
 * None fits what is not a queue message. Throws ReadError for text that is not JSON.
 */
export function sniff(document: unknown): string[] {
  const given = documentOf(document);
  if (!isObject(given)) return [];
  const said = saidType(given);
  if (said !== undefined) return isMessageName(said) ? [`envelope.${said}`] : [];
  const rows = MESSAGE_TYPES.map((type) => {
    const members = membersOf(readableName(type));
    const named = members.filter(([name]) => Object.hasOwn(given, name));
    const fits = members.every(([name, , required]) => required === 0 || Object.hasOwn(given, name));
    return { type, fits, count: named.length };
  });
  const fitting = rows.filter(({ fits }) => fits);
  return fitting.sort((one, other) => other.count - one.count).map(({ type }) => type);
}

/** Returns the name that a document says; undefined where it says none, or its version has none. */
function saidType(document: Record<string, unknown>): string | undefined {
  const said = own(document, "message_type");
  const declared = own(document, "schema_version");
  if (typeof said !== "string") return undefined;
  const isKnown = typeof declared === "string" && KNOWN.includes(declared);
  return isKnown && !knowsMessageType(declared) ? undefined : said;
}

/** Refuses a message that says that it is another one; what is not text, reading refuses. */
function requireType(said: unknown, name: string): void {
  if (typeof said !== "string" || said === name) return;
  const message = "The message says that it is another one than the one asked for";
  throw new ReadError(errorAt("/message_type", "envelope/message-type-mismatch", message, name, clip(said)));
}

function checkedMode(mode: Mode): Mode {
  if (mode === "strict" || mode === "tolerant") return mode;
  throw badArgument("No such reading mode", "strict or tolerant", mode, "usage/unknown-mode");
}

type Declared = Readonly<Record<"schema_version" | "message_type", unknown>>;

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Returns what a message says of itself; nothing where it cannot be read, for reading says what is
 * wrong. What is in other members does not matter here, as long as the text is JSON.
 */
function declaredBy(data: unknown): Declared {
  const text = isBytes(data) ? lenient.decode(data) : data;
  const said = typeof text === "string" ? parsed(text) : text;
  const of = (name: string): unknown => (isObject(said) ? own(said, name) : undefined);
  const declared = { schema_version: of("schema_version"), message_type: of("message_type") };
  const isBroken = isBytes(data) && Object.values(declared).some(mayBeBroken) && !isUtf8(data);
  return isBroken ? { schema_version: undefined, message_type: undefined } : declared;
}

/** Tells whether lenient decoding may have put a text together. */
const mayBeBroken = (said: unknown): boolean => typeof said === "string" && said.includes("\ufffd");

function isUtf8(data: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(data);
    return true;
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return /\\u[dD][89a-fA-F]/.test(text) && scan(text).refused ? undefined : value;
  } catch {
    return undefined;
  }
}

const VERSION = /^v(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$/;

const isVersion = (declared: unknown): declared is string => typeof declared === "string" && VERSION.test(declared);

function numbersOf(version: string): readonly [number, number] {
  const [, major, minor] = VERSION.exec(version) ?? [];
  return [Number(major), Number(minor)];
}

function newer(declared: unknown, version: string): Finding[] {
  if (!isVersion(declared) || declared === version) return [];
  const message = `The sender writes by a newer version; read as ${version}`;
  const finding = errorAt("/schema_version", "envelope/newer-version", message, version, clip(declared));
  return [{ ...finding, severity: ENVELOPE["envelope/newer-version"] }];
}

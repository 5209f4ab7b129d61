/** Takes documents and values from one contract version to another. */
import { bindingOf } from "../../contract/catalog.js";
import { LATEST_VERSION } from "../../contract/current/index.js";
import { badArgument, clip, errorAt, ReadError, throwAny, UsageError, WriteError } from "../../errors.js";
import { MIGRATION_LOSSES, type MigrationCode } from "../../generated/tables/losses.js";
import { VERSIONS, type Version } from "../../generated/versions.js";
import { stringify } from "../../json/digits.js";
import { decodeJson, isBytes, isJsonText, valueFindings } from "../../json/documents.js";
import { sameJson } from "../../json/equality.js";
import { isObject, own } from "../../json/values.js";
import { checkBeside, opened } from "../../reading/checks.js";
import { readValue } from "../../reading/index.js";
import { inOrder, type Loss, LossLog } from "../losses.js";
import { MigrationError, refuseLossy } from "./errors.js";
import { moved, origin, path, position } from "./steps.js";

/**
 * What a migration gives. `value` has the form of what was given: bytes or a string of JSON text for
 * such, else a JSON value. `losses` are ordered by place; their pointers lead into what was given.
 */
export interface Migrated<T = unknown> {
  readonly value: T;
  readonly losses: readonly Loss[];
  /** The version of `value`. */
  readonly version: Version;
}

/** How a document is migrated. */
export interface MigrateOptions {
  /** The version to take the document to. */
  readonly to?: string | undefined;
  /** The version that the document is of; queue messages declare theirs. */
  readonly version?: string | undefined;
  /** Whether a loss that is lossy is refused. */
  readonly strict?: boolean | undefined;
}

/** A document on its way: its JSON value, version, and the form it came in. */
interface Given {
  readonly document: unknown;
  readonly version: string;
  readonly form: "json" | "text" | "read";
  /** Where variants are that the version does not know: a value that was read may hold them. */
  readonly unknown: ReadonlySet<string>;
}

const encoder = new TextEncoder();

/**
 * Returns `document` as version `to` (the latest where absent) has it, older or newer, step by step.
 * `document` is a JSON value of `type`, JSON text, or what reading or an assembler gave: what it
 * holds of variants that its version does not know stays as it is. The version has to be named, but for
 * queue messages. A document that is at `to` already is given back as it is, once it was found valid.
 * What is given is not changed; the result may share parts with it.
 *
 * Throws ReadError where `document` is not valid in its version; MigrationError
 * `migrate/version-mismatch` where it declares another version, and with `strict` `migrate/lossy` where
 * something would be lost; UsageError for an unknown version or type.
 */
export function migrate(document: unknown, type: string, options: MigrateOptions = {}): Migrated {
  return migrated(document, givenOf, type, options);
}

/** Migrates a JSON value, of which a string is the JSON string; see {@link migrate}. */
export function migrateValue(document: unknown, type: string, options: MigrateOptions): Migrated {
  return migrated(document, valueGiven, type, options);
}

function migrated(document: unknown, openedBy: typeof givenOf, type: string, options: MigrateOptions): Migrated {
  const { to = LATEST_VERSION, strict = false } = options;
  const target = VERSIONS[position(to)] as Version;
  const given = openedBy(document, type, options.version);
  const moves = path(given.version, to);
  for (const move of moves) bindingOf(type, move.target);
  checkDeclared(given, type);
  let value = given.document;
  const log = new LossLog<MigrationCode>(MIGRATION_LOSSES);
  const ways: ReadonlyMap<string, string>[] = [];
  for (const move of moves) {
    const made = moved(move, type, value);
    value = made.value;
    for (const { code, pointer } of made.losses) log.note(code as MigrationCode, origin(pointer, ways));
    ways.push(made.moved);
  }
  const losses = inOrder(log.losses);
  if (strict) refuseLossy(losses);
  return { value: moves.length === 0 ? document : formed(value, type, document, given, to), losses, version: target };
}

/** Returns a value in the form of what was given: that itself, where nothing has changed. */
function formed(value: unknown, type: string, document: unknown, given: Given, to: string): unknown {
  if (given.form === "read") return readValue(value, type, given.unknown.size > 0 ? "tolerant" : "strict", to).value;
  if (sameJson(value, given.document)) return document;
  if (given.form !== "text") return value;
  return isBytes(document) ? encoder.encode(stringify(value)) : stringify(value);
}

/**
 * Returns `value` for a reader of the older version `to` (the oldest where absent); see {@link migrate}.
 * Without `version`, it is taken to be of the version that this package writes. For a stream of deltas
 * use {@link DeltaDowngrade}, which keeps `seq` without gaps. Throws as `migrate`, and UsageError where
 * `to` is newer than `value`.
 */
export function downgrade(value: unknown, type: string, options: MigrateOptions = {}): Migrated {
  const { to = VERSIONS[0] as Version, strict } = options;
  const version = options.version || LATEST_VERSION;
  if (position(to) > position(version)) {
    throw badArgument("Downgrading leads to an older version", `at most ${version}`, to);
  }
  return migrate(value, type, { to, version, strict });
}

/** Returns the version that a queue message declares; undefined where nothing is declared. */
function declaredVersion(document: unknown, type: string): string | undefined {
  if (!type.startsWith("envelope.") || !isObject(document)) return undefined;
  const declared = own(document, "schema_version");
  return typeof declared === "string" ? declared : undefined;
}

// --- what is given ----------------------------------------------------------------------------------

function givenOf(document: unknown, type: string, version: string | undefined): Given {
  if (isJsonText(document))
    return checked({ document: decodeJson(document), form: "text", unknown: new Set() }, type, version);
  return valueGiven(document, type, version);
}

function valueGiven(document: unknown, type: string, version: string | undefined): Given {
  const { value, unknown } = openedOf(document);
  throwAny(valueFindings(value), ReadError);
  const isPlain = typeof document !== "object" || document === null || Array.isArray(document) || isObject(document);
  return checked({ document: value, form: isPlain && unknown.size === 0 ? "json" : "read", unknown }, type, version);
}

function openedOf(document: unknown): ReturnType<typeof opened> {
  try {
    return opened(document);
  } catch (error) {
    throw error instanceof WriteError ? new ReadError(error.findings) : error;
  }
}

function checked(given: Omit<Given, "version">, type: unknown, version: string | undefined): Given {
  if (typeof type !== "string") {
    const message = "The type of a value has to be named";
    throw new UsageError(errorAt("", "usage/unknown-type", message, "a type such as message.Message", clip(type)));
  }
  const known = version || declaredVersion(given.document, type);
  if (known === undefined) {
    const message = "The version of a value has to be named";
    throw new UsageError(errorAt("", "usage/unknown-version", message, VERSIONS.join(", ")));
  }
  position(known);
  const found = checkBeside(bindingOf(type, known), given.document, given.unknown);
  throwAny(
    found.filter((each) => each.severity === "error"),
    ReadError,
  );
  return { ...given, version: known };
}

function checkDeclared({ document, version }: Given, type: string): void {
  const declared = declaredVersion(document, type);
  if (declared === undefined || declared === version) return;
  const message = "The message declares another version than is given";
  const rule = "migrate/version-mismatch";
  throw new MigrationError(errorAt("/schema_version", rule, message, version, clip(declared)));
}

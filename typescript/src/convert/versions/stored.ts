/**
 * Data at rest: documents that say which contract, version and type they are of:
 * `{"contract": "partwire", "version": "v0.2", "type": "message.Message", "data": …}`; the schema is
 * `schemas/stored-record.schema.json`.
 */
import { bindingOf } from "../../contract/catalog.js";
import { LATEST_VERSION } from "../../contract/current/index.js";
import { clip, errorAt, type Finding, type PartwireError, ReadError, UsageError } from "../../errors.js";
import { VERSIONS, type Version } from "../../generated/versions.js";
import { documentOf } from "../../json/documents.js";
import { isObject, own } from "../../json/values.js";
import { dump, readValue } from "../../reading/index.js";
import type { Loss } from "../losses.js";
import { MigrationError } from "./errors.js";
import { type Migrated, migrateValue } from "./migrate.js";
import { position } from "./steps.js";

const CONTRACT = "partwire";
const MEMBERS = ["contract", "version", "type", "data"];

/** A document with its type and version. */
export interface StoredRecord {
  readonly contract: "partwire";
  readonly version: Version;
  readonly type: string;
  readonly data: unknown;
}

/**
 * Returns `value` as the JSON text of a stored record, on one line. What is stored is valid, and has no
 * unknown member. Throws WriteError with what is wrong with it, UsageError for a type or version that is
 * not known.
 */
export function store(value: unknown, type: string, version: string = LATEST_VERSION): string {
  const data = dump(value, type, { version: version as Version });
  return `{"contract":"${CONTRACT}","version":"${version}","type":"${type}","data":${data}}`;
}

/**
 * Returns the value of the current version that a stored record holds, migrated if need be; `record` is
 * JSON text or its JSON value. Going up loses nothing that the older version names;
 * {@link migrateRecord} reports what else was lost. Throws as that.
 */
export function load(record: unknown): unknown {
  const { data, type } = migrateRecord(record).value;
  return readValue(data, type, "strict", LATEST_VERSION).value;
}

/**
 * Returns a record (JSON text, or its JSON value) as version `to` has it. Pointers of losses
 * lead into the record. What is to be text again is written by `stringify`, which keeps integers of any
 * size as they were read. Throws ReadError for what is not a record (`migrate/invalid-record`), is of a
 * version that is not known (`migrate/unknown-version`), or holds an invalid document, MigrationError as
 * {@link migrate}.
 */
export function migrateRecord(
  record: unknown,
  options: { readonly to?: string | undefined; readonly strict?: boolean | undefined } = {},
): Migrated<StoredRecord> {
  const { to = LATEST_VERSION, strict } = options;
  const { version, type, data } = readRecord(record);
  position(to);
  checkKnown(to, type);
  try {
    const made = migrateValue(data, type, { to, version, strict });
    const value: StoredRecord = { contract: CONTRACT, version: made.version, type, data: made.value };
    return { value, losses: made.losses.map(intoData), version: made.version };
  } catch (error) {
    if (error instanceof MigrationError) throw new MigrationError(inside(error), error.losses.map(intoData));
    throw error instanceof ReadError ? new ReadError(inside(error)) : error;
  }
}

/**
 * Returns JSON text or a JSON value as record; its data is not looked into. Throws ReadError
 * `migrate/invalid-record`, `migrate/unknown-version`, and for text that is not JSON as `decodeJson`.
 */
export function readRecord(given: unknown): StoredRecord {
  const record = documentOf(given);
  if (!isObject(record)) throw invalid("No stored record", "", "an object", record);
  for (const name of MEMBERS) {
    if (!Object.hasOwn(record, name)) throw invalid(`${name} is missing`, "", `a member ${name}`);
  }
  for (const name of Object.keys(record)) {
    if (!MEMBERS.includes(name)) throw invalid("Unknown member", "", MEMBERS.join(" or "), name);
  }
  const [contract, version, type] = [own(record, "contract"), own(record, "version"), own(record, "type")];
  if (contract !== CONTRACT) throw invalid("Of another contract", "/contract", CONTRACT, contract);
  checkKnown(version, type);
  return { contract: CONTRACT, version: version as Version, type: type as string, data: own(record, "data") };
}

function checkKnown(version: unknown, type: unknown): void {
  const at = VERSIONS.indexOf(version as Version);
  if (at < 0) {
    const message = "The record is of a version that is not known";
    const expected = VERSIONS.join(" or ");
    throw new ReadError(errorAt("/version", "migrate/unknown-version", message, expected, clip(version)));
  }
  try {
    bindingOf(type as string, VERSIONS[at] as Version);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, expected = "a type" } = error.findings[0];
    throw invalid(message, "/type", expected, type);
  }
}

function intoData(loss: Loss): Loss {
  return { ...loss, pointer: `/data${loss.pointer}` };
}

function inside({ findings: [first, ...others] }: PartwireError): [Finding, ...Finding[]] {
  const moved = (finding: Finding): Finding => ({ ...finding, pointer: `/data${finding.pointer}` });
  return [moved(first), ...others.map(moved)];
}

function invalid(message: string, pointer: string, expected: string, actual?: unknown): ReadError {
  const found = actual === undefined ? undefined : clip(actual);
  return new ReadError(errorAt(pointer, "migrate/invalid-record", message, expected, found));
}

/** The operations of the protocol: a JSON input in, a JSON result out. */
import { collect, convertStream } from "./chunks.js";
import { convert, migrateCall } from "./convert.js";
import { reading, validateDocument } from "./documents.js";
import { envelope } from "./envelopes.js";
import { check, repair } from "./histories.js";
import { adapt, encode } from "./providers.js";
import { build, moveOn } from "./sessions.js";
import { assemble } from "./streams.js";

export const OPERATIONS = new Map([
  ["validate", validateDocument],
  ["read", reading("strict")],
  ["read_tolerant", reading("tolerant")],
  ["assemble", assemble],
  ["transition", moveOn],
  ["check_history", check],
  ["repair_history", repair],
  ["adapt", adapt],
  ["convert_stream", convertStream],
  ["collect", collect],
  ["build_session", build],
  ["convert", convert],
  ["migrate", migrateCall],
  ["envelope", envelope],
  ["encode_request", encode],
]);

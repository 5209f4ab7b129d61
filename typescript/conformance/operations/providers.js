/** Providers: adapt and encode_request. */
import { DeltaDowngrade } from "../../dist/convert/versions/index.js";
import { LATEST_VERSION, toWire } from "../../dist/index.js";
import { ADAPTERS, ByteAdapter, openAdapter } from "../../dist/providers/index.js";
import { ENCODERS, encodeRequest } from "../../dist/providers/requests.js";
import { bytesOf, clockOf, findingsOf, guarded, refusalOf, Skip } from "./values.js";

export function adapt(given, version) {
  const { api, run_id: runId } = given;
  if (!ADAPTERS.has(api)) throw new Skip(`there is no adapter for ${api}`);
  const written = version === "v0.1" ? "v0.2" : version; // v0.1 is made of v0.2
  const adapter = openAdapter(api, runId, {
    clock: clockOf(given.clock),
    usedToolCallIds: given.used_tool_call_ids ?? [],
    keepRaw: given.keep_raw ?? false,
    ...asked(given),
    version: written,
  });
  // What is written as the case's version needs no way down.
  const target = written === version ? LATEST_VERSION : version;
  const reader = new ByteAdapter(adapter);
  const data = bytesOf(given.input);
  const size = given.chunk_bytes ?? (data.length || 1);
  const deltas = [];
  for (let at = 0; at < data.length; at += size) deltas.push(...reader.feed(data.subarray(at, at + size)));
  deltas.push(...reader.close());
  return { deltas: served(deltas, target), findings: findingsOf(adapter.findings) };
}

/** Returns the options that a case has, under the names that they have here. */
function asked(given) {
  const names = {
    message_id: "messageId",
    turn_id: "turnId",
    author: "author",
    format: "format",
  };
  const rows = Object.entries(names).filter(([name]) => given[name] !== undefined);
  return Object.fromEntries(rows.map(([name, option]) => [option, given[name]]));
}

/** Returns a stream of deltas as a version has it. */
function served(deltas, version) {
  if (version === LATEST_VERSION) return deltas.map((delta) => toWire(delta, "message.MessageDelta"));
  const older = new DeltaDowngrade(version);
  return deltas
    .flatMap((delta) => older.feed(delta))
    .map((delta) => toWire(delta, "message.MessageDelta", { version }));
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encode({ dialect, input }) {
  if (!ENCODERS.has(dialect)) throw new Skip(`there is no encoder for ${dialect}`);
  const { messages, ...options } = JSON.parse(decoder.decode(bytesOf(input)));
  return guarded(() => {
    const { body, findings } = encodeRequest(dialect, messages, options);
    return { body, findings: findingsOf(findings) };
  }, refusalOf);
}

/** Providers: adapt. */
import { LATEST_VERSION, read, toWire } from "../../dist/index.js";
import { ADAPTERS, ByteAdapter, openAdapter } from "../../dist/providers/index.js";
import { bytesOf, findingsOf, Skip } from "./values.js";

/** Returns a clock: `start` first, and every further reading `step_ms` later. */
function clockOf({ start, step_ms: step }) {
  let at = Date.parse(start);
  return () => {
    const now = new Date(at).toISOString().replace(".000Z", "Z");
    at += step;
    return now;
  };
}

export function adapt(given, version) {
  const { api, run_id: runId, message_id: messageId, turn_id: turnId } = given;
  if (!ADAPTERS.has(api)) throw new Skip(`there is no adapter for ${api}`);
  const adapter = openAdapter(api, runId, {
    clock: clockOf(given.clock),
    usedToolCallIds: given.used_tool_call_ids ?? [],
    keepRaw: given.keep_raw ?? false,
    ...(messageId === undefined ? {} : { messageId }),
    ...(turnId === undefined ? {} : { turnId }),
  });
  const reader = new ByteAdapter(adapter);
  const data = bytesOf(given.input);
  const size = given.chunk_bytes ?? (data.length || 1);
  const deltas = [];
  for (let at = 0; at < data.length; at += size) deltas.push(...reader.feed(data.subarray(at, at + size)));
  deltas.push(...reader.close());
  return { deltas: served(deltas, version), findings: findingsOf(adapter.findings) };
}

const DELTA = "message.MessageDelta";

/** Returns a stream of deltas as a version has it: the older one knows no provider state. */
function served(deltas, version) {
  if (version === LATEST_VERSION) return deltas.map((delta) => toWire(delta, DELTA));
  const lasting = deltas.filter(({ payload }) => payload.opaque === undefined || payload.textDelta !== "");
  return lasting.map((delta, seq) =>
    toWire(read({ ...delta, seq }, DELTA, { mode: "tolerant", version }), DELTA, { version }),
  );
}

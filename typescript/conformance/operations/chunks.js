/** Chunks: convert_stream and collect. */
import { ChunkCollector, ChunksToDeltas, DeltasToChunks } from "../../dist/blocks/index.js";
import { read, toWire, unknownMembers } from "../../dist/index.js";
import { bytesOf, camelKeys, clockOf, guarded, lossesOf, snake } from "./values.js";

const TYPES = { chunks: "blocks.StreamChunk", deltas: "message.MessageDelta" };
const OTHER = { chunks: "deltas", deltas: "chunks" };

/** Reads every line and gives it to `take`; returns the refusal that ends this, if there is one. */
function eachLine(lines, kind, mode, take) {
  for (const [index, line] of lines.entries()) {
    const error = guarded(
      () => void take(read(bytesOf(line), TYPES[kind], { mode }), bytesOf(line)),
      (refused) => lineError(refused, index + 1),
    );
    if (error !== undefined) return { error };
  }
  return undefined;
}

const lineError = ({ rule, limit }, line) => ({ rule, line, ...(limit === undefined ? {} : { limit: snake(limit) }) });

function converterOf({ from, limits: given = {}, run_id: runId, clock, model_id: modelId, request_id: requestId }) {
  const limits = camelKeys(given);
  if (from === "deltas") return new DeltasToChunks({ limits });
  return new ChunksToDeltas({ runId, clock: clockOf(clock), modelId, requestId, limits });
}

export function convertStream(given, version) {
  const converter = converterOf(given);
  const out = [];
  const refusal = eachLine(given.lines, given.from, given.mode, (item, line) => {
    out.push(...converter.feed(item));
    converter.noteUnknownMembers(unknownMembers(line, TYPES[given.from]));
  });
  if (refusal !== undefined) return refusal;
  out.push(...converter.close());
  const items = out.map((item) => toWire(item, TYPES[OTHER[given.from]], { version }));
  return { items, losses: lossesOf(converter.losses) };
}

export function collect({ chunks, mode, limits = {} }, version) {
  const collector = new ChunkCollector({ limits: camelKeys(limits) });
  const refusal = eachLine(chunks, "chunks", mode, (chunk) => collector.feed(chunk));
  if (refusal !== undefined) return refusal;
  return guarded(
    () => ({ response: toWire(collector.close(), "blocks.ModelResponse", { version }) }),
    ({ rule }) => ({ error: { rule } }),
  );
}

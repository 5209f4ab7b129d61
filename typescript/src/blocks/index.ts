/** Content blocks: chunks of a streaming response to and from deltas, and collected whole. */

export type * from "../contract/current/blocks.js";
export type { Loss, LossSeverity } from "../convert/losses.js";
export { CHUNK_LOSSES, DELTA_LOSSES } from "../generated/tables/losses.js";
export type { Chunk } from "./chunk-state.js";
export { ChunksToDeltas, type ChunksToDeltasInit } from "./chunks-to-deltas.js";
export { ChunkCollector, type CollectOptions, collect, collectChunks, type ResponseFailed } from "./collect.js";
export { DeltasToChunks } from "./deltas-to-chunks.js";
export {
  ChunkSender,
  type ModelAdapter,
  ModelAdapterError,
  ReaderGone,
  StreamingResponse,
} from "./streaming-response.js";

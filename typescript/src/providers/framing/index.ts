/** Sans-IO decoders: bytes in any cut in, raw events out. */
export { FramingError } from "../../errors.js";
export { DEFAULT_LIMIT_BYTES, MAX_HEADER_BYTES } from "../../generated/tables/limits.js";
export type { HeaderValue } from "./eventstream.js";
export { EventStreamDecoder, type EventStreamMessage } from "./eventstream.js";
export { JsonArrayDecoder } from "./jsonarray.js";
export { JsonLinesDecoder, type RawLine } from "./jsonlines.js";
export type { ByteSource } from "./source.js";
export { SseDecoder, type SseEvent } from "./sse.js";

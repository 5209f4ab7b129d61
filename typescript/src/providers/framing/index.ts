/** Sans-IO decoders: bytes in any cut in, raw events out. */
export { FramingError } from "../../errors.js";
export type { HeaderValue } from "./eventstream.js";
export { EventStreamDecoder, type EventStreamMessage, MAX_HEADER_BYTES } from "./eventstream.js";
export { DEFAULT_LIMIT_BYTES } from "./feeder.js";
export { JsonArrayDecoder } from "./jsonarray.js";
export { JsonLinesDecoder, type RawLine } from "./jsonlines.js";
export { SseDecoder, type SseEvent } from "./sse.js";

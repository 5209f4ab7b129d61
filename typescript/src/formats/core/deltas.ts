/** Deltas of one stream after the other, as a reader of a run writes them. */

import type { MessageDelta } from "../../contract/current/message.js";
import { jsonText } from "../../json/compact.js";
import { readDelta } from "./items.js";
import type { Json } from "./reading.js";

/** The ids that all deltas of a message have, where it has them. */
export interface DeltaIds {
  readonly messageId?: string | undefined;
  readonly turnId?: string | undefined;
}

/** Writes the deltas of one message: numbered, with the ids that all of them have. */
export class DeltaStream {
  readonly #head: Json;
  #seq = 0;

  constructor(runId: string, timestamp: string, ids: DeltaIds = {}) {
    this.#head = { runId, timestamp };
    for (const [name, value] of Object.entries(ids)) if (value) this.#head[name] = value;
  }

  /** Returns the next delta; throws ReadError where it would not be valid. */
  delta(kind: string, payload: Json, timestamp?: string): MessageDelta {
    const head = timestamp ? { ...this.#head, timestamp } : this.#head;
    const made = readDelta({ ...head, seq: this.#seq, kind, payload });
    this.#seq++;
    return made;
  }
}

/** The kind of a delta, and its payload. */
export type DeltaParts = readonly [kind: string, payload: Json];

/**
 * Returns the deltas of a whole part; `mediaId` is for media. Results and answers of persons have none: they stand
 * in messages of their own.
 */
export function partDeltas(part: Json, mediaId: string): DeltaParts[] {
  const kind = part["kind"] as string;
  const payload = part["payload"] as Json;
  const state: Json = "opaque" in payload ? { opaque: payload["opaque"] } : {};
  switch (kind) {
    case "text":
    case "thinking": {
      const citations = (payload["citations"] ?? []) as Json[];
      const cited = citations.map((citation): DeltaParts => ["text_citation", { citation }]);
      return [[kind, { textDelta: payload["text"], ...state }], ...cited];
    }
    case "tool_call":
    case "server_tool_call": {
      const head = { toolCallId: payload["toolCallId"] };
      return [
        [`${kind}_start`, { ...head, toolName: payload["toolName"] }],
        [`${kind}_args`, { ...head, argsTextDelta: payload["rawArgsText"] ?? jsonText(payload["arguments"]) }],
        [`${kind}_end`, { ...head, ...state }],
      ];
    }
    case "server_tool_result":
    case "approval_request":
      return [[kind, payload]];
    case "image":
    case "media":
    case "file_ref":
      return mediaDeltas(payload, mediaId, state);
    default:
      return [];
  }
}

function mediaDeltas(payload: Json, mediaId: string, state: Json): DeltaParts[] {
  const mimeType = payload["mimeType"] ?? "application/octet-stream";
  const source = (payload["source"] ?? payload) as Json;
  const head = { mediaId };
  const named = "name" in payload ? { name: payload["name"] } : {};
  const begin: DeltaParts = ["media_start", { ...head, mimeType, ...named }];
  if ("data" in source)
    return [begin, ["media_data", { ...head, data: source["data"] }], ["media_end", { ...head, ...state }]];
  const isUrl = "url" in source;
  const place = isUrl ? { kind: "url", url: source["url"] } : { kind: "ref", ref: source["ref"] ?? source["path"] };
  return [begin, ["media_end", { ...head, ...state, source: place }]];
}

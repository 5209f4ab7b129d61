/** Which part of a message each delta belongs to: a lane of the timeline per part and call. */

import type { MessageDelta } from "partwire";

/** What a lane shows; `stream` is for what concerns the message as a whole. */
export const LANE_KINDS = [
  "stream",
  "message",
  "text",
  "thinking",
  "tool_call",
  "server_tool_call",
  "server_tool_result",
  "approval_request",
  "media",
] as const;
export type LaneKind = (typeof LANE_KINDS)[number];

export interface Lane {
  readonly kind: LaneKind;
  /** The tool's name, the media type, the role: what tells the lane from others of its kind. */
  readonly label: string;
  /** The message of the run to which it belongs. */
  readonly stream: number;
  /** The index of the part; -1 for the lane of the stream itself. */
  readonly part: number;
  /** The id of the call or of the media. */
  readonly id?: string;
}

type Payload = Readonly<Record<string, unknown>>;

interface LastPart {
  readonly kind: LaneKind;
  readonly lane: number;
  /** Whether text can join it. */
  open: boolean;
}

const CALLS = /^(server_)?tool_call_(start|args|end)$/;

/**
 * Follows the deltas of one message. Parts are counted as the assembler counts them: text joins the last part
 * if that is of its kind and holds no opaque data.
 */
export class LaneTracker {
  readonly #byId = new Map<string, number>();
  /** The lane of each part. */
  readonly #parts: number[] = [];
  #last: LastPart | undefined;
  #lastText: number | undefined;
  /** The lane of the stream itself. */
  readonly own: number;

  /** Lanes are added to `lanes`, the first one that of the stream. */
  constructor(
    readonly lanes: Lane[],
    readonly stream: number,
  ) {
    this.own = lanes.push({ kind: "stream", label: "", stream, part: -1 }) - 1;
  }

  /** Returns the lane of a delta that the assembler has taken. */
  laneOf({ kind, payload }: MessageDelta): number {
    const said = payload as unknown as Payload;
    if (kind === "text" || kind === "thinking") return this.#textLane(kind, said);
    if (kind === "text_citation") {
      const part = said["partIndex"];
      return (typeof part === "number" ? this.#parts[part] : this.#lastText) ?? this.own;
    }
    if (kind === "approval_request") return this.#begin(kind, String(said["toolCallId"]));
    if (kind === "server_tool_result") return this.#begin(kind, String(said["toolCallId"]));
    if (kind.startsWith("media_")) {
      const id = String(said["mediaId"]);
      return this.#byId.get(`media:${id}`) ?? this.#begin("media", String(said["mimeType"] ?? ""), id);
    }
    if (!CALLS.test(kind)) return this.own;
    const id = String(said["toolCallId"]);
    const call = kind.startsWith("server_") ? "server_tool_call" : "tool_call";
    return this.#byId.get(`${call}:${id}`) ?? this.#begin(call, String(said["toolName"] ?? ""), id);
  }

  #textLane(kind: "text" | "thinking", payload: Payload): number {
    const isOpaque = payload["opaque"] !== undefined;
    let last = this.#last?.kind === kind && this.#last.open ? this.#last : undefined;
    if (last === undefined) {
      if (payload["textDelta"] === "" && !isOpaque) return this.own;
      this.#begin(kind, "");
      last = this.#last as unknown as LastPart;
    }
    if (isOpaque) last.open = false;
    return last.lane;
  }

  #begin(kind: LaneKind, label: string, id?: string): number {
    const added = { kind, label, stream: this.stream, part: this.#parts.length, ...(id === undefined ? {} : { id }) };
    const lane = this.lanes.push(added) - 1;
    this.#parts.push(lane);
    if (id !== undefined) this.#byId.set(`${kind}:${id}`, lane);
    if (kind === "text") this.#lastText = lane;
    this.#last = { kind, lane, open: true };
    return lane;
  }
}

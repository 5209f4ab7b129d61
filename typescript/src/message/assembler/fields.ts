/** What the files of the kinds need of the state of a stream. */
import type { MessagePart } from "../../contract/current/message.js";
import type { Limits } from "./rules.js";
import type { CallSlot, MediaSlot, Packed, Slot, TextSlot } from "./slots.js";

/** The fields of a stream, and what every kind does with them. */
export interface StreamFields {
  readonly limits: Limits;
  readonly slots: Slot[];
  readonly calls: Map<string, CallSlot>;
  /** Calls that have their result. */
  readonly answered: Set<string>;
  readonly approvals: Set<string>;
  readonly media: Map<string, MediaSlot>;
  readonly openMedia: Map<string, MediaSlot>;
  /** The last text. */
  readonly lastText: TextSlot | undefined;
  textLeft: number;
  payloadLeft: number;
  mediaLeft: number;
  packed(opaque: unknown, before: Packed | undefined, seq: number): Packed;
  keepOpaque(slot: CallSlot | MediaSlot, packed: Packed): void;
  checkParts(seq: number): void;
  checkEnded(id: string, seq: number): void;
  addWhole(part: MessagePart, seq: number): void;
}

import { badArgument } from "../../errors.js";

const MIB = 1024 * 1024;
const MAX_DEPTH = 500; // a document may be nested 512 deep, and a message takes some of that

/**
 * Upper bounds of one stream; a delta that would pass one is refused before it is kept. Bytes are
 * those of the text in UTF-8 and ids count code points, so that every language draws the line at
 * the same delta. Source: semantics, the assembler, limits.
 */
export interface Limits {
  /** Text and thinking of the whole message. */
  readonly textBytes: number;
  /** Argument text of one tool call. */
  readonly argumentsBytes: number;
  /** Tool calls of one message. */
  readonly toolCalls: number;
  /** Parts of one message, open tool calls included. */
  readonly parts: number;
  /** Nesting of one tool call's arguments; the object itself is 1. */
  readonly argumentsDepth: number;
  /** Length of an id: of a run, message, turn, request, tool call, and of a model's name. */
  readonly idChars: number;
  /** Opaque data of the whole message: its strings and names, and 8 bytes for each value. */
  readonly opaqueBytes: number;
  /** Nesting of one opaque data; the object itself is 1. */
  readonly opaqueDepth: number;
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  textBytes: 16 * MIB,
  argumentsBytes: 16 * MIB,
  toolCalls: 1024,
  parts: 100_000,
  argumentsDepth: 128,
  idChars: 512,
  opaqueBytes: 16 * MIB,
  opaqueDepth: 128,
});

/** Returns all limits; throws UsageError `usage/invalid-argument` for one that is no count. */
export function wholeLimits(given: Partial<Limits>): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw badArgument("No such limit", Object.keys(DEFAULT_LIMITS).join(", "), name);
    }
    const most = name.endsWith("Depth") ? MAX_DEPTH : Number.MAX_SAFE_INTEGER;
    if (!Number.isSafeInteger(value) || value < 1 || value > most) {
      throw badArgument(`The limit ${name} is no count`, `an integer from 1 to ${most}`, value);
    }
  }
  return { ...DEFAULT_LIMITS, ...given };
}

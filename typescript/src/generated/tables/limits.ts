// Generated from schemas/tables/limits.json. Do not edit: change that, then
// run `python -m codegen`.

/**
 * Limits: what is accepted, kept or shown at most.
 *
 * A name ends in its unit: bytes, chars (code points), depth (levels), ms; others are counts.
 */

/**
 * Upper bounds of one stream; a delta that would pass one is refused before it is kept. Bytes are
 * those of the text in UTF-8 and ids count code points, so that every language draws the line at
 * the same delta.
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
  /** Payloads of citations, results and approvals of the whole message, and its warnings. */
  readonly payloadBytes: number;
  /** Levels of one of these payloads. */
  readonly payloadDepth: number;
  /** Base64 of media that a message holds at once. */
  readonly mediaBytes: number;
  /** Names of the path of the message's author. */
  readonly agents: number;
}

/** Levels of a document; the outermost array or object is 1. */
export const MAX_DEPTH: number = 512;

/** Digits of an integer in a document; CPython has the same limit built in. */
export const MOST_DIGITS: number = 4300;

/** Code points of what a finding quotes. */
export const CLIP_CHARS: number = 80;

/** The last millisecond since the epoch that RFC 3339 can say. */
export const LAST_MS: number = 253402300799999;

/** Losses of one code that a log of losses keeps. */
export const MAX_PER_CODE: number = 100;

/** Offers of contract versions in one negotiation. */
export const MOST_OFFERS: number = 1000;

/** Answered calls that a check of a history remembers where nothing else is said. */
export const DEFAULT_REMEMBERED: number = 16384;

/** Unknown kinds, or types of chunks, of one stream that are reported. */
export const MAX_UNKNOWN: number = 1024;

/** The limits of a stream where nothing else is said. */
export const DEFAULT_LIMITS: Limits = {
  textBytes: 16777216,
  argumentsBytes: 16777216,
  toolCalls: 1024,
  parts: 100000,
  argumentsDepth: 128,
  idChars: 512,
  opaqueBytes: 16777216,
  opaqueDepth: 128,
  payloadBytes: 16777216,
  payloadDepth: 128,
  mediaBytes: 67108864,
  agents: 64,
};

/** What a limit of nesting may be set to: a document has 512 levels, and a message takes some. */
export const MAX_LIMIT_DEPTH: number = 500;

/** What a value of opaque data counts beside its text, in bytes. */
export const VALUE_BYTES: number = 8;

/**
 * Bytes of one event of a stream where nothing else is said: tool calls that write whole files come
 * as one event.
 */
export const DEFAULT_LIMIT_BYTES: number = 67108864;

/** Bytes of the headers of one message, as the AWS event stream format allows. */
export const MAX_HEADER_BYTES: number = 131072;

/** Bytes at the start of a stream that are searched for what its framing is. */
export const MAX_HEAD_BYTES: number = 4096;

/** Code points of a text without events that is searched for an error. */
export const MAX_BARE_CHARS: number = 65536;

/** Findings that an adapter of a provider keeps. */
export const MAX_FINDINGS: number = 200;

/** Code points of an id, a model's name or a finish reason that an adapter writes. */
export const MAX_ID_CHARS: number = 512;

/** Code points of the readable part of an id that an adapter makes. */
export const MADE_ID_CHARS: number = 24;

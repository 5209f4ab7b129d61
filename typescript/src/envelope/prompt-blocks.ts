/**
 * Prompt blocks: what their text holds, worked out only where it is asked for.
 *
 * Blocks are kept as they come: multi-line text or Base64. Nothing in a message distinguishes the two,
 * and many a word is Base64 of something, so nothing here guesses: who knows that the sender writes
 * Base64 says so by calling {@link decodePromptBlock}. What is not text, or no response, is refused:
 * UsageError `usage/invalid-argument`.
 */

import type { PromptBlocksResponse } from "../contract/current/envelope.js";
import {
  badArgument,
  clip,
  errorAt,
  type Finding,
  PartwireError,
  ReadError,
  throwAny,
  UsageError,
  WriteError,
} from "../errors.js";
import { base64Of, bytesOf } from "../json/base64.js";
import { valueFindings } from "../json/documents.js";
import { isObject, own } from "../json/values.js";
import { requireText, SPACES } from "./arguments.js";

const BLOCKS = ["system", "task", "allowed_tools", "context_data", "instruction"] as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns `text` as Base64 of its UTF-8: standard alphabet, padded, in one line. Throws WriteError
 * `document/lone-surrogate`.
 */
export function encodePromptBlock(text: string): string {
  requireText("text", text);
  throwAny(valueFindings(text), WriteError);
  return base64Of(encoder.encode(text));
}

/**
 * Returns the text that a block of Base64 holds. Lines may be folded and indented; padding is asked
 * for, and the last character has no stray bits. Throws ReadError `envelope/prompt-block` for what is
 * not Base64, or not of UTF-8.
 */
export function decodePromptBlock(text: string): string {
  requireText("text", text);
  const compact = text.replace(SPACES, "");
  const bytes = bytesOf(compact);
  if (bytes === undefined) throw badBlock("The block is not Base64", "Base64, padded", text);
  if (base64Of(bytes) !== compact) throw badBlock("The last character of the block has stray bits", "Base64", text);
  try {
    return decoder.decode(bytes);
  } catch {
    throw badBlock("The block is Base64, but not of UTF-8", "Base64 of UTF-8 text", text);
  }
}

/**
 * Tells whether a block can be Base64: false is certain, true is not. `edit` is a word, and Base64 of
 * two characters. Where this is false, the block is text.
 */
export function mayBeBase64(text: string): boolean {
  try {
    return decodePromptBlock(text) !== "";
  } catch (error) {
    if (error instanceof ReadError) return false;
    throw error;
  }
}

/** Returns `response` with all five blocks as Base64; the envelope stays. */
export function encodePromptBlocks(response: PromptBlocksResponse): PromptBlocksResponse {
  return eachBlock(response, encodePromptBlock);
}

/**
 * Returns `response` with the text of all five blocks, which have to be Base64. Throws ReadError
 * `envelope/prompt-block`; the pointer names the block.
 */
export function decodePromptBlocks(response: PromptBlocksResponse): PromptBlocksResponse {
  return eachBlock(response, decodePromptBlock);
}

function eachBlock(response: PromptBlocksResponse, change: (text: string) => string): PromptBlocksResponse {
  if (!isObject(response)) throw badArgument("response is wrong", "a PromptBlocksResponse", response);
  const made: PromptBlocksResponse = { ...(response as PromptBlocksResponse) };
  for (const name of BLOCKS) {
    try {
      made[name] = change(own(response, name) as string);
    } catch (error) {
      throw error instanceof PartwireError ? inBlock(error, name) : error;
    }
  }
  return made;
}

/** Returns an error with the place of the block that it is about. */
function inBlock(error: PartwireError, name: string): PartwireError {
  const found = error.findings.map((finding) => ({ ...finding, pointer: `/${name}` }));
  const kind = [ReadError, UsageError, WriteError].find((each) => error instanceof each) ?? PartwireError;
  return new kind(found as [Finding, ...Finding[]]);
}

function badBlock(message: string, expected: string, text: string): ReadError {
  return new ReadError(errorAt("", "envelope/prompt-block", message, expected, clip(text)));
}

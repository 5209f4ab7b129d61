/** One function for all bridges: the source's type and the target's family choose. */
import { badArgument, clip, errorAt, type Finding } from "../errors.js";
import type { LossCode } from "../generated/tables/losses.js";
import { blocksToMessages, messagesToBlocks } from "./families/blocks.js";
import { acceptedCodes, type Context, checkNames } from "./families/context.js";
import { BridgeError, type BridgeResult, strictly } from "./families/conversion.js";
import {
  responseToToolResult,
  resultToToolResult,
  toolResultToResponse,
  toolResultToResult,
} from "./families/envelope.js";
import { sessionToMessages } from "./families/from-session.js";
import { messagesToSession } from "./families/to-session.js";

type Bridge = (values: unknown, context: Context) => BridgeResult<unknown[]>;

const BRIDGES: readonly (readonly [string, string, Bridge])[] = [
  ["message.Message", "session.WithParts", messagesToSession],
  ["session.WithParts", "message.Message", sessionToMessages],
  ["message.Message", "blocks.Message", messagesToBlocks],
  ["blocks.Message", "message.Message", blocksToMessages],
  ["message.ToolResult", "envelope.ToolResult", toolResultToResult],
  ["envelope.ToolResult", "message.ToolResult", resultToToolResult],
  ["message.ToolResult", "envelope.ToolCallResponse", toolResultToResponse],
  ["envelope.ToolCallResponse", "message.ToolResult", responseToToolResult],
];

/** Source and target of every bridge. Of a family the first target that fits is meant. */
export const CONVERSIONS: readonly (readonly [string, string])[] = BRIDGES.map(([from, to]) => [from, to]);

const ONE_FOR_ONE = new Set(["message.ToolResult", "envelope.ToolResult", "envelope.ToolCallResponse"]);

/** How documents are converted. */
export interface ConvertOptions extends Context {
  /** The type of the value, or of each item of an array: `message.Message`. */
  readonly type: string;
  /** Whether losses are refused. */
  readonly strict?: boolean | undefined;
  /** The lossy losses that `strict` lets through. */
  readonly accept?: Iterable<LossCode> | undefined;
}

/** Returns the types that convert to a family or type, in order. */
export function sourceTypes(to: string): string[] {
  return [...new Set(CONVERSIONS.filter(([, target]) => isMeant(target, to)).map(([source]) => source))];
}

/**
 * Returns `value` in another family, and what that loses. `value` is a document (a JSON value, or JSON
 * text as bytes) or an array of them, which then counts as one history; `to` is a family or a type. The
 * other options are the {@link Context}. Messages, sessions and blocks give an array, because one may
 * become several; a single tool result gives one. Loss pointers lead into `value`.
 *
 * `strict` throws BridgeError `bridge/lossy` where a loss is lossy and its code is not in `accept`. Also
 * throws BridgeError `bridge/unsupported`, ReadError, and UsageError `usage/invalid-argument` for a code,
 * an option or a value of the context that does not fit, needed or not.
 */
export function convert(value: unknown, to: string, options: ConvertOptions): BridgeResult {
  // JavaScript may leave the options out, whatever the types say.
  if (typeof options !== "object" || options === null) {
    throw badArgument("convert takes options", "an object with the type of the value", options ?? null);
  }
  const { type, strict, accept, ...context } = options;
  const accepted = acceptedCodes(accept ?? []);
  checkNames(context);
  const found = BRIDGES.find(([source, target]) => source === type && isMeant(target, to));
  if (found === undefined) throw new BridgeError(unsupported(type, to));
  const result = found[2](value, context);
  if (strict === true) strictly(result, accepted);
  return ONE_FOR_ONE.has(type) && !Array.isArray(value) ? { ...result, value: result.value[0] } : result;
}

function isMeant(target: string, to: string): boolean {
  return to === target || to === target.slice(0, target.indexOf("."));
}

function unsupported(source: string | undefined, to: string): Finding {
  const rule = "bridge/unsupported";
  const sources = sourceTypes(to);
  if (sources.length === 0) {
    const families = new Set(CONVERSIONS.map(([, target]) => target.slice(0, target.indexOf("."))));
    return errorAt("", rule, "No bridge leads to this family or type", [...families].join(" or "), clip(to));
  }
  if (source === undefined) {
    const message = "The value does not say its type: give type, such as message.Message";
    return errorAt("", rule, message, sources.join(" or "));
  }
  const targets = CONVERSIONS.filter(([known]) => known === source).map(([, target]) => target);
  if (targets.length === 0) {
    return errorAt("", rule, `There is no bridge from ${clip(source)}`, sources.join(" or "), clip(source));
  }
  return errorAt("", rule, `There is no bridge from ${source} to ${clip(to)}`, targets.join(" or "), clip(to));
}

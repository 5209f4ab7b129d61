/**
 * Messages, and those of the family `blocks`, document by document. A tool's message becomes a user's
 * with result blocks. A message of blocks that holds results beside other blocks becomes several
 * messages; `meta.blocks` of the later ones says `{"joined": true}`, and they become one again on the
 * way back.
 */
import type {
  Message as BlocksMessage,
  ContentBlock,
  ImageBlock,
  ToolResultBlock,
} from "../../contract/current/blocks.js";
import type {
  ImagePayload,
  MediaPayload,
  Message,
  MessagePart,
  ToolResultContent,
  ToolResultContentPart,
} from "../../contract/current/message.js";
import { KIND_CODES, type LossCode } from "../../generated/tables/losses.js";
import { isBase64 } from "../../json/base64.js";
import { jsonText } from "../../json/compact.js";
import { isObject } from "../../json/values.js";
import { type Context, EPOCH } from "./context.js";
import { type BridgeResult, Work } from "./conversion.js";

const JOINED = { joined: true };
const LEFT_OUT = [
  ["run-id", "runId"],
  ["timestamp", "timestamp"],
  ["message-id", "messageId"],
  ["turn-id", "turnId"],
  ["author", "author"],
] as const;
const LEFT_MEMBERS = [
  ["opaque", "opaque"],
  ["transcript", "transcript"],
  ["result-outcome", "outcome"],
  ["result-structured", "structured"],
] as const;
const ROLE_BLOCKS: Readonly<Record<BlocksMessage["role"], readonly ContentBlock["type"][]>> = {
  system: ["text"],
  user: ["text", "image", "tool_result"],
  assistant: ["text", "tool_use", "image"],
};

/** Returns `message.Message` (one or an array) as `blocks.Message`; throws ReadError. */
export function messagesToBlocks(values: unknown, context: Context = {}): BridgeResult<BlocksMessage[]> {
  const work = new Work<Message>(values, "message.Message", context);
  const made: BlocksMessage[] = [];
  for (const [index, source] of work.source.entries()) toBlocks(source, `/${index}`, made, work);
  return work.finish(made, "blocks.Message");
}

/**
 * Returns `blocks.Message` (one or an array) as `message.Message`. Run and time are the caller's. One
 * message of blocks may give several messages. Throws ReadError and UsageError.
 */
export function blocksToMessages(values: unknown, context: Context = {}): BridgeResult<Message[]> {
  const work = new Work<BlocksMessage>(values, "blocks.Message", context);
  const made = work.source.flatMap((source, index) => fromBlocks(source, `/${index}`, work));
  return work.finish(made, "message.Message");
}

// --- message to blocks ------------------------------------------------------------------------------

function toBlocks(source: Message, place: string, made: BlocksMessage[], work: Work): void {
  for (const [code, name] of LEFT_OUT) {
    if (source[name] !== undefined) work.note(code, `${place}/${name}`);
  }
  const found = source.parts.map((part, index) => blockOf(part, `${place}/parts/${index}`, work));
  const kept = found.filter((block) => block !== undefined);
  const isEmpty = source.role === "tool" ? kept.length === 0 : source.parts.length === 0;
  const last = made.at(-1);
  const joins = last !== undefined && saysJoined(source.meta) && !isEmpty && isNext(source, last);
  if (source.meta !== undefined && !joins) work.note("meta", `${place}/meta`);
  if (source.role === "tool" && isEmpty) work.note("tool-role", `${place}/role`);
  const role = source.role === "tool" ? "user" : source.role;
  const [first] = kept;
  if (joins) last.content = joined(last.content, kept);
  else if (kept.length === 1 && first?.type === "text") made.push({ role, content: first.text });
  else made.push({ role, content: kept });
}

/** Tells whether `meta.blocks` says that a message is joined, and `meta` nothing else. */
function saysJoined(meta: Message["meta"]): boolean {
  const blocks = meta?.["blocks"];
  if (!isObject(blocks) || Object.keys(meta ?? {}).length !== 1 || Object.keys(blocks).length !== 1) return false;
  return blocks["joined"] === true;
}

/** Tells whether `source` goes on where `before` ends: results beside what is not a result. */
function isNext(source: Message, before: BlocksMessage): boolean {
  if (before.role !== "user" || (source.role !== "user" && source.role !== "tool")) return false;
  const last = typeof before.content === "string" ? "text" : before.content.at(-1)?.type;
  return last !== undefined && (last === "tool_result") !== (source.role === "tool");
}

/** Returns content with more blocks behind it; an array goes on as it is, however often. */
function joined(content: BlocksMessage["content"], more: readonly ContentBlock[]): ContentBlock[] {
  const blocks: ContentBlock[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  for (const block of more) blocks.push(block);
  return blocks;
}

function blockOf(part: MessagePart, place: string, work: Work): ContentBlock | undefined {
  if (part.kind === "thinking" || part.kind === "file_ref") {
    work.note(part.kind === "thinking" ? "thinking" : "file-ref", place);
    return undefined;
  }
  const code = KIND_CODES.get(part.kind) as LossCode | undefined;
  if (code !== undefined) {
    work.note(code, place);
    return undefined;
  }
  for (const [code, name] of LEFT_MEMBERS) if (name in part.payload) work.note(code, `${place}/payload/${name}`);
  work.noteText(part.payload, `${place}/payload`);
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.payload.text };
    case "image":
      return imageBlock(part.payload, place, work);
    case "media":
      return mediaBlock(part.payload, place, work);
    case "tool_call": {
      const { toolCallId, toolName, arguments: parameters, rawArgsText } = part.payload;
      if (rawArgsText !== undefined) work.note("raw-args-text", `${place}/payload/rawArgsText`);
      return { type: "tool_use", tool_use_id: toolCallId, tool_name: toolName, parameters };
    }
    case "tool_result": {
      const { toolCallId, isError, content } = part.payload;
      const told = resultContent(content, `${place}/payload/content`, work);
      return { type: "tool_result", tool_use_id: toolCallId, content: told, is_error: isError };
    }
    default:
      return undefined;
  }
}

function imageBlock(payload: ImagePayload, place: string, work: Work): ImageBlock | undefined {
  const data = payload.url ?? payload.data;
  if (data === undefined || data === "") {
    work.note("image-type", place);
    return undefined;
  }
  const form = payload.url === undefined ? "base64" : "url";
  return { type: "image", image_type: form, media_type: payload.mimeType, data };
}

/** Returns an image of kind media as block; blocks have no other media. */
function mediaBlock({ mimeType, source }: MediaPayload, place: string, work: Work): ImageBlock | undefined {
  const data = source.kind === "inline" ? source.data : source.kind === "url" ? source.url : "";
  if (!mimeType.startsWith("image/") || data === "") {
    work.note("media", place);
    return undefined;
  }
  work.note("media-kind", `${place}/kind`);
  work.note("media-kind", `${place}/payload`);
  return { type: "image", image_type: source.kind === "url" ? "url" : "base64", media_type: mimeType, data };
}

function resultContent(content: ToolResultContent, place: string, work: Work): ToolResultBlock["content"] {
  if (typeof content === "string") return content;
  if (isObject(content)) {
    work.note("result-object", place);
    return jsonText(content);
  }
  const found = (content as ToolResultContentPart[]).map((part, index) => blockOf(part, `${place}/${index}`, work));
  return found.filter((block) => block?.type === "text" || block?.type === "image");
}

// --- blocks to message ------------------------------------------------------------------------------

function fromBlocks({ role, content }: BlocksMessage, place: string, work: Work): Message[] {
  const runId = work.given("runId", `${place}/runId`, "run-id-invented", "run");
  const timestamp = work.given("timestamp", `${place}/timestamp`, "timestamp-invented", EPOCH);
  const isText = typeof content === "string";
  const kept = isText ? [textPart(content)] : keptParts(role, content, `${place}/content`, work);
  if (!isText && kept.length === 1 && kept[0]?.kind === "text") work.note("content-form", `${place}/content`);
  return runsOf(kept).map((parts, index) => ({
    runId,
    timestamp,
    role: parts[0]?.kind === "tool_result" ? "tool" : role,
    parts,
    ...(index === 0 ? {} : { meta: { blocks: JOINED } }),
  }));
}

/** Returns the parts in runs of results and of others; one empty run if there are no parts. */
function runsOf(parts: readonly MessagePart[]): MessagePart[][] {
  const runs: MessagePart[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (run === undefined || (run[0]?.kind === "tool_result") !== (part.kind === "tool_result")) runs.push([part]);
    else run.push(part);
  }
  return runs.length === 0 ? [[]] : runs;
}

/** Returns the parts that a message of `role` can hold. */
function keptParts(
  role: BlocksMessage["role"],
  content: readonly ContentBlock[],
  place: string,
  work: Work,
): MessagePart[] {
  const kept: MessagePart[] = [];
  const seen = new Set<string>();
  for (const [index, block] of content.entries()) {
    const at = `${place}/${index}`;
    const id = "tool_use_id" in block ? block.tool_use_id : "";
    const identity = `${block.type} ${id}`;
    if (!ROLE_BLOCKS[role].includes(block.type)) {
      work.note("block-role", at);
    } else if (id !== "" && seen.has(identity)) {
      work.note("duplicate-id", at);
    } else {
      const part = partOf(block, at, work);
      if (part === undefined) continue;
      seen.add(identity);
      kept.push(part);
    }
  }
  return kept;
}

function textPart(text: string): ToolResultContentPart {
  return { kind: "text", payload: { text } };
}

function partOf(block: ContentBlock, place: string, work: Work): MessagePart | undefined {
  if (block.type === "text" || block.type === "image") return plainPart(block, place, work);
  if (block.type === "tool_use") {
    const { tool_use_id: toolCallId, tool_name: toolName, parameters } = block;
    return { kind: "tool_call", payload: { toolCallId, toolName, arguments: parameters } };
  }
  const { tool_use_id: toolCallId, is_error: isError, content: told } = block;
  const content =
    typeof told === "string" ? told : told.map((each, n) => plainPart(each, `${place}/content/${n}`, work));
  const kept = typeof content === "string" ? content : content.filter((part) => part !== undefined);
  return { kind: "tool_result", payload: { toolCallId, isError, content: kept } };
}

function plainPart(
  block: Extract<ContentBlock, { type: "text" | "image" }>,
  place: string,
  work: Work,
): ToolResultContentPart | undefined {
  if (block.type === "text") return textPart(block.text);
  const { image_type: form, media_type: mimeType, data } = block;
  if (form === "url") return { kind: "image", payload: { mimeType, url: data } };
  if (form === "base64" && isBase64(data)) return { kind: "image", payload: { mimeType, data } };
  work.note("image-type", place);
  return undefined;
}

/** Files, calls, results and provider's state between messages and sessions. */
import type {
  FileRefPart,
  ImagePart,
  MediaPart,
  Opaque,
  ToolCallPart,
  ToolCallPayload,
  ToolResult,
  ToolResultContentPart,
} from "../../contract/current/message.js";
import type { FilePart, Part, ToolPart, ToolState, ToolStateCompleted } from "../../contract/current/session.js";
import { isBase64 } from "../../json/base64.js";
import { jsonText, sameText } from "../../json/compact.js";
import { sameJson } from "../../json/equality.js";
import { isObject, type JsonObject, own } from "../../json/values.js";
import type { Work } from "./conversion.js";

const NO_OUTPUT = "(no output)";
const ANY_MIME = "application/octet-stream";

/** What a session's part has beside its content. */
export type Head = Pick<FilePart, "id" | "sessionID" | "messageID">;
/** A session's file without its ids. */
type File = Omit<FilePart, keyof Head>;
type FileLike = ImagePart | FileRefPart | MediaPart;

// --- files ------------------------------------------------------------------------------------------

/** Returns a session's file part as a message's part: an image by its media type, else a file. */
export function messageFile({ mime, url }: Pick<FilePart, "mime" | "url">): ImagePart | FileRefPart {
  if (!mime.startsWith("image/")) return { kind: "file_ref", payload: { path: url, mimeType: mime } };
  const head = `data:${mime};base64,`;
  const data = url.startsWith(head) ? url.slice(head.length) : undefined;
  if (data !== undefined && isBase64(data)) return { kind: "image", payload: { mimeType: mime, data } };
  return { kind: "image", payload: { mimeType: mime, url } };
}

/** Returns a message's image, file or media as a session's file part, without ids. */
export function filePart(part: FileLike, place: string, work: Work): File {
  const payload: Readonly<Record<string, unknown>> = { ...part.payload };
  const mime = part.payload.mimeType ?? ANY_MIME;
  if (part.payload.mimeType === undefined) work.note("mime-invented", `${place}/payload/mimeType`);
  for (const name of ["size", "sizeBytes", "sha256"]) {
    if (payload[name] !== undefined)
      work.note(name === "sha256" ? "file-hash" : "file-size", `${place}/payload/${name}`);
  }
  const url = urlOf(part, mime);
  const name = part.kind === "media" ? part.payload.name : undefined;
  const again = messageFile({ mime, url });
  const said = Object.entries(payload).filter(([member]) => member !== "size" && member !== "mimeType");
  if (again.kind !== part.kind || !said.every(([member, value]) => sameJson(own(again.payload, member), value))) {
    work.note("file-kind", `${place}/kind`);
    work.note("file-kind", `${place}/payload`);
  }
  return { type: "file", mime, url, ...(name === undefined ? {} : { filename: name }) };
}

/** Returns where a file is: bytes are a data: URL, a path or a reference stays as it is. */
function urlOf(part: FileLike, mime: string): string {
  const where: { url?: string; path?: string; ref?: string; data?: string } =
    part.kind === "media" ? part.payload.source : part.payload;
  return where.url ?? where.path ?? where.ref ?? `data:${mime};base64,${where.data}`;
}

// --- provider's state -------------------------------------------------------------------------------

/** Returns `metadata.opaque` of a session's part, if it is what a message calls opaque. */
export function saidOpaque(part: Part): Opaque | undefined {
  const metadata = "metadata" in part ? part.metadata : undefined;
  const value = metadata === undefined ? undefined : own(metadata, "opaque");
  if (!isObject(value) || Object.keys(value).length !== 2) return undefined;
  const [provider, data] = [own(value, "provider"), own(value, "data")];
  return typeof provider === "string" && provider !== "" && isObject(data)
    ? { provider, data: data as JsonObject }
    : undefined;
}

/** Returns the members that give a payload the state that a session's part keeps in its metadata. */
export function withOpaque(part: Part): { opaque?: Opaque } {
  const opaque = saidOpaque(part);
  return opaque === undefined ? {} : { opaque };
}

/** Returns the members that give a session's part the state of a message's part, in its metadata. */
export function metadataWith(metadata: unknown, payload: { opaque?: Opaque }): { metadata?: JsonObject } {
  if (payload.opaque === undefined) return metadata === undefined ? {} : { metadata: metadata as JsonObject };
  return { metadata: { ...(metadata as JsonObject | undefined), opaque: payload.opaque as unknown as JsonObject } };
}

// --- calls ------------------------------------------------------------------------------------------

/** Returns the call of a tool part. */
export function callPart(part: ToolPart): ToolCallPart {
  const { state } = part;
  const raw = state.status === "pending" && !says(state.raw, state.input) ? { rawArgsText: state.raw } : {};
  const call = { toolCallId: part.callID, toolName: part.tool, arguments: state.input, ...raw };
  return { kind: "tool_call", payload: { ...call, ...withOpaque(part) } };
}

/** Returns the result of a tool part; undefined while there is none. */
export function callResult({ callID, state }: ToolPart): ToolResult | undefined {
  if (state.status === "error") return { toolCallId: callID, isError: true, content: state.error };
  if (state.status !== "completed") return undefined;
  const files = state.attachments ?? [];
  const text: ToolResultContentPart = { kind: "text", payload: { text: state.output } };
  const content = files.length === 0 ? state.output : [text, ...files.map(messageFile)];
  return { toolCallId: callID, isError: false, content };
}

/** Tells whether argument text says nothing but `input`. */
function says(raw: string, input: JsonObject): boolean {
  try {
    return sameText(JSON.parse(raw), input);
  } catch {
    return false; // no JSON
  }
}

/** The result of a call: where it is, and when the call began and ended. */
export interface Answer {
  readonly result: ToolResult;
  readonly place: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the state of a call at `place`: pending without an answer, else completed or error. */
export function toolState(
  call: ToolCallPayload,
  place: string,
  answer: Answer | undefined,
  head: Head,
  work: Work,
): ToolState {
  const { arguments: input, rawArgsText: raw } = call;
  if (raw !== undefined && (answer !== undefined || says(raw, input))) {
    work.note("raw-args-text", `${place}/rawArgsText`);
  }
  if (answer === undefined) return { status: "pending", input, raw: raw ?? jsonText(input) };
  const time = { start: Math.min(answer.start, answer.end), end: answer.end };
  const at = `${answer.place}/content`;
  const { text, files } = told(answer.result, at, work);
  if (answer.result.isError) {
    if (files.length > 0) work.note("result-files", at);
    return { status: "error", input, error: text, time };
  }
  const attachments = files.map((file, number) => ({ ...head, id: `${head.id}_${number}`, ...file }));
  const state: ToolStateCompleted = {
    status: "completed",
    input,
    output: text,
    title: call.toolName,
    metadata: {},
    time,
  };
  return attachments.length === 0 ? state : { ...state, attachments };
}

/** Returns text and files of a result. */
function told({ content }: ToolResult, place: string, work: Work): { text: string; files: File[] } {
  const { text, files } = saidBy(content, place, work);
  if (text === "") work.note("result-empty", place);
  return { text: text === "" ? NO_OUTPUT : text, files };
}

function saidBy(content: ToolResult["content"], place: string, work: Work): { text: string; files: File[] } {
  if (typeof content === "string") return { text: content, files: [] };
  if (!Array.isArray(content)) {
    work.note("result-layout", place);
    return { text: jsonText(content), files: [] };
  }
  const texts: string[] = [];
  const files: File[] = [];
  for (const [number, part] of content.entries()) {
    if ("opaque" in part.payload) work.note("opaque", `${place}/${number}/payload/opaque`);
    if (part.kind === "text") texts.push(part.payload.text);
    else files.push(filePart(part, `${place}/${number}`, work));
  }
  if (files.length === 0 || texts.length !== 1 || content[0]?.kind !== "text") work.note("result-layout", place);
  return { text: texts.join("\n"), files };
}

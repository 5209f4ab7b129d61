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
import type { FilePart, Part, ToolApproval, ToolPart, ToolState } from "../../contract/current/session.js";
import { isBase64 } from "../../json/base64.js";
import { jsonText, sameText } from "../../json/compact.js";
import { sameJson } from "../../json/equality.js";
import { isObject, type JsonObject, own } from "../../json/values.js";
import type { Work } from "./conversion.js";

const NO_OUTPUT = "(no output)";
const ANY_MIME = "application/octet-stream";
const NO_PLACE = [
  ["size", "file-size"],
  ["sizeBytes", "file-size"],
  ["sha256", "file-hash"],
  ["transcript", "transcript"],
  ["opaque", "opaque"],
] as const;
/** How a call came out, by its status. */
const OUTCOMES = { completed: "success", error: "error", denied: "denied" } as const;

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
  for (const [name, code] of NO_PLACE) {
    if (payload[name] !== undefined) work.note(code, `${place}/payload/${name}`);
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
  const raw = "raw" in state && !says(state.raw, state.input) ? { rawArgsText: state.raw } : {};
  const call = { toolCallId: part.callID, toolName: part.tool, arguments: state.input, ...raw };
  return { kind: "tool_call", payload: { ...call, ...withOpaque(part) } };
}

/** Returns the result of a tool part; undefined while there is none. */
export function callResult({ callID, state }: ToolPart): ToolResult | undefined {
  const { status } = state;
  if (status === "error" || status === "denied") {
    if (state.error === undefined) return undefined; // of a denied call, the model may not know yet
    return { toolCallId: callID, isError: true, content: state.error, outcome: OUTCOMES[status] };
  }
  if (status !== "completed") return undefined;
  const files = state.attachments ?? [];
  const text: ToolResultContentPart = { kind: "text", payload: { text: state.output } };
  const content = files.length === 0 ? state.output : [text, ...files.map(messageFile)];
  return { toolCallId: callID, isError: false, content, outcome: OUTCOMES[status] };
}

/** Tells whether argument text says nothing but `input`. */
function says(raw: string, input: JsonObject): boolean {
  try {
    return sameText(JSON.parse(raw), input);
  } catch {
    return false; // no JSON
  }
}

/** What is told of a call: its result and where that is, what was decided, when it began and ended. */
export interface Told {
  readonly result: ToolResult | undefined;
  readonly place: string;
  readonly approval: ToolApproval | undefined;
  readonly start: number;
  readonly end: number;
}

/** Returns the status of a call by its result and its approval, where it has them. */
function statusOf({ result, approval }: Told): ToolState["status"] {
  if (result !== undefined) {
    if (approval !== undefined && result.isError && result.outcome === "denied") return "denied";
    return result.isError ? "error" : "completed";
  }
  if (approval === undefined) return "pending";
  if (approval.decision === undefined) return "awaiting_approval";
  return approval.decision === "approved" ? "running" : "denied";
}

/** Returns the state of a call at `place`, by its result and what was decided. */
export function toolState(call: ToolCallPayload, place: string, told: Told, head: Head, work: Work): ToolState {
  const { arguments: input, rawArgsText: raw } = call;
  const { result, approval, start } = told;
  const status = statusOf(told);
  const waits = status === "pending" || status === "awaiting_approval";
  if (raw !== undefined && (!waits || says(raw, input))) work.note("raw-args-text", `${place}/rawArgsText`);
  const asked = approval === undefined ? {} : { approval };
  switch (status) {
    case "pending":
      return { status, input, raw: raw ?? jsonText(input) };
    case "awaiting_approval":
      return { status, input, raw: raw ?? jsonText(input), approval: approval as ToolApproval };
    case "running":
      return { status, input, time: { start }, ...asked };
    case "denied": {
      const error = result === undefined ? {} : { error: ended(result, told, status, work).text };
      return { status, input, approval: approval as ToolApproval, ...error };
    }
    default: {
      const { text, files } = ended(result as ToolResult, told, status, work);
      const time = { start: Math.min(start, told.end), end: told.end };
      if (status === "error") return { status, input, error: text, time, ...asked };
      const attachments = files.map((file, number) => ({ ...head, id: `${head.id}_${number}`, ...file }));
      const state = { status, input, output: text, title: call.toolName, metadata: {}, time, ...asked };
      return attachments.length === 0 ? state : { ...state, attachments };
    }
  }
}

/** Returns text and files of the result of a call that has ended, and notes what its state does not say. */
function ended(
  result: ToolResult,
  { place }: Told,
  status: keyof typeof OUTCOMES,
  work: Work,
): { text: string; files: File[] } {
  if (result.structured !== undefined) work.note("result-structured", `${place}/structured`);
  if (result.outcome === undefined) work.note("outcome-form", `${place}/outcome`);
  else if (result.outcome !== OUTCOMES[status]) work.note("result-outcome", `${place}/outcome`);
  const made = told(result, `${place}/content`, work);
  if (made.files.length > 0 && status !== "completed") work.note("result-files", `${place}/content`);
  return made;
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
    if (part.kind !== "media" && "opaque" in part.payload) work.note("opaque", `${place}/${number}/payload/opaque`);
    if (part.kind === "text") {
      work.noteText(part.payload, `${place}/${number}/payload`);
      texts.push(part.payload.text);
    } else files.push(filePart(part, `${place}/${number}`, work));
  }
  if (files.length === 0 || texts.length !== 1 || content[0]?.kind !== "text") work.note("result-layout", place);
  return { text: texts.join("\n"), files };
}

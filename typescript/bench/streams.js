/**
 * Streams of providers as bytes: recordings where they are to be had (the folder PARTWIRE_RECORDINGS,
 * or shared/recordings beside the checkout), and streams of any length.
 */
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { WORDS } from "./content.js";

const { PARTWIRE_RECORDINGS } = process.env;
const RECORDINGS =
  PARTWIRE_RECORDINGS === undefined
    ? new URL("../../../shared/recordings/", import.meta.url)
    : pathToFileURL(`${PARTWIRE_RECORDINGS}/`);

/** Dialects that an official JavaScript client reads. */
export const DIALECTS = ["anthropic-messages", "openai-chat", "openai-responses"];

/** Returns the recorded streams of a dialect: name, number of events and bytes; none where there are none. */
export function recordings(dialect) {
  const index = new URL("index.json", RECORDINGS);
  if (!existsSync(index)) return [];
  const rows = JSON.parse(readFileSync(index, "utf8")).filter((row) => row.dialect === dialect);
  return rows.map((row) => {
    const texts = readFileSync(new URL(row.file, RECORDINGS), "utf8").split("\n").filter(Boolean);
    if (dialect === "openai-chat" && !row.notes?.includes("no [DONE]")) texts.push("[DONE]");
    return { name: row.id, events: texts.length, bytes: framed(texts) };
  });
}

/** Returns events as their provider frames them: with the name of each that has one. */
function framed(texts) {
  const lines = texts.map((text) => {
    const type = text.startsWith("{") ? JSON.parse(text).type : undefined;
    return type === undefined ? `data: ${text}\n\n` : `event: ${type}\ndata: ${text}\n\n`;
  });
  return new TextEncoder().encode(lines.join(""));
}

/** Returns a stream that says `count` words. */
export function made(dialect, count) {
  const words = Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length]);
  const events = MAKERS[dialect](words).map((event) => JSON.stringify(event));
  if (dialect === "openai-chat") events.push("[DONE]");
  return { name: `${count} words`, events: events.length, bytes: framed(events), text: words.join("") };
}

const MAKERS = {
  "anthropic-messages": (words) => [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-1",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...words.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: words.length },
    },
    { type: "message_stop" },
  ],
  "openai-chat": (words) => {
    const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1767323045, model: "gpt-5" };
    const chunk = (delta, reason = null) => ({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] });
    return [
      chunk({ role: "assistant", content: "" }),
      ...words.map((content) => chunk({ content })),
      chunk({}, "stop"),
    ];
  },
  "openai-responses": (words) => {
    const text = words.join("");
    const usage = { input_tokens: 9, output_tokens: words.length, total_tokens: words.length + 9 };
    const response = { id: "resp_1", object: "response", created_at: 1767323045, model: "gpt-5", output: [] };
    const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
    const part = { type: "output_text", text, annotations: [] };
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [part] };
    const events = [
      { type: "response.created", response: { ...response, status: "in_progress" } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
      { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
      ...words.map((delta) => ({ type: "response.output_text.delta", ...place, delta })),
      { type: "response.output_text.done", ...place, text },
      { type: "response.content_part.done", ...place, part },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
    ];
    return events.map((event, index) => ({ ...event, sequence_number: index }));
  },
};

/** Cuts bytes into chunks of `size`. */
export function cut(bytes, size) {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

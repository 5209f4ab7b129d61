/**
 * Bytes of a response → message, by us and by the official clients. Both take the same chunks from the
 * same kind of body, and both give the message at the end; requests and sockets are left out.
 */
import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import { Stream as AnthropicStream } from "@anthropic-ai/sdk/streaming";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { ResponseStream } from "openai/lib/responses/ResponseStream";
import { Stream as OpenAIStream } from "openai/streaming";
import { MessageAssembler, now } from "../dist/index.js";
import { ByteAdapter, openAdapter } from "../dist/providers/index.js";

async function* bodyOf(chunks) {
  for (const chunk of chunks) yield chunk;
}

/** Returns the message that adapter and assembler make of the bytes. */
export async function partwire(dialect, chunks) {
  const reader = new ByteAdapter(openAdapter(dialect, "run_1", { clock: now }));
  const assembler = new MessageAssembler();
  for await (const chunk of bodyOf(chunks)) for (const delta of reader.feed(chunk)) assembler.consume(delta);
  for (const delta of reader.close()) assembler.consume(delta);
  return assembler.status === "done" ? assembler.buildFinalMessage() : assembler.buildPartial();
}

/** Returns the events of a response as a client gives them to its own accumulator. */
function events(Stream, chunks) {
  const response = { body: bodyOf(chunks), headers: new Headers() };
  return { response, data: Stream.fromSSEResponse(response, new AbortController()) };
}

async function anthropic(chunks) {
  const messages = { create: () => ({ withResponse: async () => events(AnthropicStream, chunks) }) };
  return MessageStream.createMessage(messages, { messages: [] }).finalMessage();
}

async function chat(chunks) {
  const completions = { create: async () => events(OpenAIStream, chunks).data };
  return ChatCompletionStream.createChatCompletion({ chat: { completions } }, { messages: [] }).finalChatCompletion();
}

async function responses(chunks) {
  const client = { responses: { create: async () => events(OpenAIStream, chunks).data } };
  return ResponseStream.createResponse(client, {}).finalResponse();
}

const textsOf = (parts, type, member = "text") =>
  parts.filter((part) => part.type === type).map((part) => part[member] ?? "");

/** Dialect → the official client, and how the text of its result is read. */
export const OFFICIAL = {
  "anthropic-messages": {
    name: "@anthropic-ai/sdk, MessageStream",
    run: anthropic,
    text: (message) => textsOf(message.content, "text").join(""),
  },
  "openai-chat": {
    name: "openai, ChatCompletionStream",
    run: chat,
    text: ({ choices: [{ message }] }) => `${message.content ?? ""}${message.refusal ?? ""}`,
  },
  "openai-responses": {
    name: "openai, ResponseStream",
    run: responses,
    text: ({ output }) => {
      const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
      return parts.map((part) => (part.type === "output_text" ? part.text : part.refusal)).join("");
    },
  },
};

/** Returns the text of a message of the contract. */
export function textOf(message) {
  return message.parts.map((part) => (part.kind === "text" ? part.payload.text : "")).join("");
}

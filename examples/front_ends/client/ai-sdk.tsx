/** The page of AI SDK's `useChat`. */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, getToolName, isToolUIPart, type UIMessage } from "ai";
import { createRoot } from "react-dom/client";
import { Conversation, type Shown } from "./conversation.js";

const API = "/api/ai-sdk";
const transport = new DefaultChatTransport({ api: API });

function shown(part: UIMessage["parts"][number]): Shown[] {
  if (part.type === "text" || part.type === "reasoning") return [{ kind: part.type, text: part.text }];
  if (!isToolUIPart(part)) return [];
  const { input, output, errorText } = part;
  return [{ kind: "tool", name: getToolName(part), input, output, error: errorText }];
}

function Page({ stored }: { stored: UIMessage[] }) {
  const { messages, status, error, sendMessage } = useChat({ transport, messages: stored });
  return (
    <Conversation
      messages={messages.map(({ id, role, parts }) => ({ id, role, parts: parts.flatMap(shown) }))}
      status={status === "ready" || status === "error" ? status : "busy"}
      error={error?.message}
      ask={(text) => void sendMessage({ text })}
    />
  );
}

const stored = await (await fetch(API)).json();
createRoot(document.querySelector("#root") as Element).render(<Page stored={stored} />);

/** The page of AG-UI's own client. */
import { HttpAgent, type Message } from "@ag-ui/client";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Conversation, type Shown, type Talk } from "./conversation.js";

const API = "/api/ag-ui";
const agent = new HttpAgent({ url: API, initialMessages: await (await fetch(API)).json() });

/** An answer is several messages: reasoning, texts with calls, and a result for each call. */
function turns(messages: Message[]): Talk["messages"] {
  const made: Talk["messages"] = [];
  for (const message of messages) {
    const role = message.role === "user" || message.role === "system" ? message.role : "assistant";
    const last = made.at(-1);
    const parts = shown(message, messages);
    if (role === "assistant" && last?.role === role) last.parts.push(...parts);
    else made.push({ id: message.id, role, parts });
  }
  return made;
}

function shown(message: Message, messages: Message[]): Shown[] {
  if (message.role === "tool" || message.role === "activity") return [];
  const said = typeof message.content === "string" ? message.content : "";
  const text: Shown = { kind: message.role === "reasoning" ? "reasoning" : "text", text: said };
  const results = messages.filter((each) => each.role === "tool");
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return [
    text,
    ...calls.map(({ id, function: { name, arguments: input } }): Shown => {
      const { content: output, error } = results.find((each) => each.toolCallId === id) ?? {};
      return { kind: "tool", name, input, output: error === undefined ? output : undefined, error };
    }),
  ];
}

function Page() {
  const [messages, setMessages] = useState(agent.messages);
  const [status, setStatus] = useState<Talk["status"]>("ready");
  const [error, setError] = useState<string>();

  async function ask(content: string) {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
    setMessages([...agent.messages]);
    setStatus("busy");
    setError(undefined);
    let failure: string | undefined = "The answer was cut off"; // the client takes a stream without an end for whole
    try {
      await agent.runAgent(undefined, {
        onMessagesChanged: ({ messages }) => setMessages([...messages]),
        onRunErrorEvent: ({ event }) => {
          failure = event.message;
        },
        onRunFinishedEvent: () => {
          failure = undefined;
        },
      });
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    setError(failure);
    setStatus(failure === undefined ? "ready" : "error");
  }

  return <Conversation messages={turns(messages)} status={status} error={error} ask={(text) => void ask(text)} />;
}

createRoot(document.querySelector("#root") as Element).render(<Page />);

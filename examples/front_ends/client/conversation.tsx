/** A conversation as a page shows it, whatever client holds it. */
import { type FormEvent, useEffect, useState } from "react";

/** A piece of a message. The input and the output of a tool are JSON, or text. */
export type Shown =
  | { kind: "text" | "reasoning"; text: string }
  | { kind: "tool"; name: string; input: unknown; output: unknown; error: string | undefined };

/** What a client of some protocol knows of the conversation, and how it is asked. */
export interface Talk {
  messages: { id: string; role: string; parts: Shown[] }[];
  /** Whether an answer is under way, has come, or has failed: the last question may be asked again. */
  status: "busy" | "ready" | "error";
  error: string | undefined;
  ask(text: string): void;
}

/** Questions in the address, `?ask=One&ask=Two`, are asked one after the other. */
const GIVEN = new URLSearchParams(location.search).getAll("ask");

export function Conversation({ messages, status, error, ask }: Talk) {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState(0);
  const [answered, setAnswered] = useState(0);

  useEffect(() => {
    if (status === "busy") return () => setAnswered((count) => count + 1); // as soon as it is busy no more
  }, [status]);
  useEffect(() => {
    const next = GIVEN[answered];
    if (status !== "ready" || asked > answered || next === undefined) return;
    setAsked(answered + 1);
    ask(next);
  }, [status, asked, answered, ask]);

  useEffect(() => {
    if (status === "busy") scrollTo(0, document.body.scrollHeight); // text is seen as it comes
  });

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text === "" || status === "busy") return;
    ask(text);
    setText("");
  };
  const isOver = status === "error" || (status === "ready" && answered >= GIVEN.length);
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <article key={id} className={role}>
          {parts.map((part, number) => (
            <Piece key={number} part={part} />
          ))}
        </article>
      ))}
      {error !== undefined && (
        <p id="error" role="alert">
          {error}
        </p>
      )}
      <form onSubmit={send}>
        <input value={text} onChange={(event) => setText(event.target.value)} placeholder="Ask" aria-label="Ask" />
        <button type="submit" disabled={status === "busy"}>
          Send
        </button>
      </form>
      <p id="status">{isOver ? status : "busy"}</p>
    </main>
  );
}

function Piece({ part }: { part: Shown }) {
  if (part.kind !== "tool") return part.text === "" ? null : <p className={part.kind}>{part.text}</p>;
  const { name, input, output, error } = part;
  return (
    <div className="tool">
      <b>{name}</b> <code>{written(input)}</code>
      {output !== undefined && <output>{written(output)}</output>}
      {error !== undefined && <strong>{error}</strong>}
    </div>
  );
}

function written(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value);
}

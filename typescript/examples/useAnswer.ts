/** A hook for one answer: the message as far as it has come, and how it stands with it. Copy it, and make it yours. */
import { type Message, MessageAssembler, type OpenCall } from "partwire/assembler";
import { consumeStream } from "partwire/stream";
import { useRef, useState } from "react";

export interface Answer {
  readonly status: "idle" | "streaming" | "done" | "stopped" | "failed";
  readonly message?: Message;
  /** Tool calls whose arguments are still coming. */
  readonly openCalls?: readonly OpenCall[];
  readonly error?: unknown;
}

export function useAnswer(url: string) {
  const [answer, setAnswer] = useState<Answer>({ status: "idle" });
  const running = useRef<AbortController>(null);

  async function ask(question: string): Promise<void> {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    const assembler = new MessageAssembler();
    const show = (next: Answer): void => {
      if (running.current?.signal === signal) setAnswer(next); // a later question has the place
    };
    show({ status: "streaming" });
    try {
      const response = await fetch(url, { method: "POST", body: question, signal });
      if (!response.ok) throw new Error(`The service answers ${response.status}`);
      for await (const _ of consumeStream(assembler, response.body)) {
        const { snapshot, openCalls } = assembler.progress();
        show({ status: "streaming", message: snapshot.toMessage(), openCalls });
      }
      show({ status: "done", message: assembler.buildFinalMessage() });
    } catch (error) {
      // What has come is kept, marked in its meta as what it is: not a whole message.
      const message = assembler.status === "idle" ? {} : { message: assembler.buildPartial() };
      show(signal.aborted ? { status: "stopped", ...message } : { status: "failed", error, ...message });
    }
  }

  return { ...answer, ask, stop: () => running.current?.abort() };
}

// What the libraries of AI SDK and AG-UI make of documents. Each line of standard input is a JSON
// object {"ask", …}; each line of standard output is the answer to it, in the same order.
import { createInterface } from "node:readline";
import { AbstractAgent } from "@ag-ui/client";
import { from } from "rxjs";

const sdks = { 5: "ai5", 6: "ai6", 7: "ai7" };

function told(error) {
  return String(error?.message ?? error).slice(0, 2000);
}

const answers = {
  // UI messages: whether they are valid, and the model messages that they become.
  async "ui-messages"({ version, messages }) {
    const { safeValidateUIMessages, convertToModelMessages } = await import(sdks[version]);
    const found = await safeValidateUIMessages({ messages });
    if (!found.success) return { invalid: told(found.error) };
    try {
      return { messages: found.data, modelMessages: await convertToModelMessages(found.data) };
    } catch (error) {
      return { messages: found.data, refused: told(error) };
    }
  },

  // The body of a response: the message that a client shows at its end, and what it is told of errors.
  async "ui-stream"({ version, text }) {
    const ai = await import(sdks[version]);
    const errors = [];
    const events = ai.parseJsonEventStream({
      stream: new Blob([text]).stream(),
      schema: ai.uiMessageChunkSchema,
    });
    const chunks = events.pipeThrough(
      new TransformStream({
        transform(event, controller) {
          if (!event.success) throw event.error;
          controller.enqueue(event.value);
        },
      }),
    );
    let message = null;
    try {
      const onError = (error) => errors.push(told(error));
      for await (const each of ai.readUIMessageStream({ stream: chunks, onError })) message = each;
    } catch (error) {
      errors.push(told(error));
    }
    return { message, errors };
  },

  // Events of a run: the messages that the client has at its end. It refuses what breaks a rule.
  async "ag-ui-events"({ events, messages }) {
    class Agent extends AbstractAgent {
      run() {
        return from(events);
      }
    }
    const agent = new Agent({ threadId: "thread", initialMessages: messages ?? [] });
    const failures = [];
    try {
      await agent.runAgent(
        { runId: "run" },
        { onRunErrorEvent: ({ event }) => void failures.push(event.message) },
      );
    } catch (error) {
      return { refused: told(error), failures };
    }
    return { messages: agent.messages, failures };
  },
};

// The libraries warn on the console, which is where the answers go.
for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = () => {};
for await (const line of createInterface({ input: process.stdin })) {
  const { ask, ...given } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await answers[ask](given))}\n`);
}

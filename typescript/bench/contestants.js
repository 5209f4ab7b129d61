/**
 * Who takes part. Each is given its own form of the content, ready made, and gives a message after
 * every delta, as a user interface wants it; what it returns last is compared with the content.
 */
import { AbstractAgent } from "@ag-ui/client";
import { readUIMessageStream } from "ai";
import { Observable } from "rxjs";
import { MessageAssembler, readDelta } from "../dist/index.js";
import { chunks, deltas, events } from "./content.js";

/** Returns text, or the arguments of the call, of a message of the contract. */
function said(message) {
  const [part] = message.parts;
  return part.kind === "text" ? part.payload.text : part.payload.arguments;
}

async function partwire(content) {
  const assembler = new MessageAssembler();
  let seen = 0;
  for (const delta of content) {
    assembler.consume(delta);
    seen += assembler.snapshot().parts.length;
  }
  assembler.close();
  return seen < 0 ? undefined : said(assembler.buildFinalMessage());
}

async function partwireProgress(content) {
  const assembler = new MessageAssembler();
  let seen = 0;
  for (const delta of content) {
    assembler.consume(delta);
    const { snapshot, openCalls } = assembler.progress();
    seen += snapshot.parts.length;
    for (const call of openCalls) seen += Object.keys(call.partialArguments).length;
  }
  return seen < 0 ? undefined : said(assembler.buildFinalMessage());
}

async function partwireLines(content) {
  const assembler = new MessageAssembler();
  for (const line of content) {
    assembler.consume(readDelta(line));
    assembler.snapshot();
  }
  return said(assembler.buildFinalMessage());
}

async function ai(content) {
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of content) controller.enqueue(chunk);
      controller.close();
    },
  });
  let last;
  for await (const message of readUIMessageStream({ stream })) last = message;
  const part = last.parts.find((each) => each.type !== "step-start");
  return part.type === "text" ? part.text : part.input;
}

class Recorded extends AbstractAgent {
  constructor(content) {
    super({ threadId: "t1" });
    this.content = content;
  }

  run() {
    return new Observable((subscriber) => {
      for (const event of this.content) subscriber.next(event);
      subscriber.complete();
    });
  }
}

async function agUi(content) {
  const agent = new Recorded(content);
  await agent.runAgent({ runId: "run_1" });
  const message = agent.messages.at(-1);
  const [call] = message.toolCalls ?? [];
  return call === undefined ? message.content : JSON.parse(call.function.arguments);
}

export const CONTESTANTS = [
  { name: "partwire", run: partwire, make: deltas },
  { name: "partwire, progress()", run: partwireProgress, make: deltas },
  {
    name: "partwire, from JSON Lines",
    run: partwireLines,
    make: (...given) => deltas(...given).map((each) => JSON.stringify(each)),
  },
  { name: "ai, readUIMessageStream", run: ai, make: chunks, peer: true },
  { name: "@ag-ui/client, runAgent", run: agUi, make: events, peer: true },
];

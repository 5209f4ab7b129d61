/**
 * Who takes part. Each is given the content as its own events, JSON text each, and gives a message
 * after every one, as a user interface wants it; what it returns last is compared with the content.
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

async function partwire(lines) {
  const assembler = new MessageAssembler();
  let seen = 0;
  for (const line of lines) {
    assembler.consume(readDelta(line));
    seen += assembler.snapshot().parts.length;
  }
  assembler.close();
  return seen < 0 ? undefined : said(assembler.buildFinalMessage());
}

async function partwireProgress(lines) {
  const assembler = new MessageAssembler();
  let seen = 0;
  for (const line of lines) {
    assembler.consume(readDelta(line));
    const { snapshot, openCalls } = assembler.progress();
    seen += snapshot.parts.length;
    for (const call of openCalls) seen += Object.keys(call.partialArguments).length;
  }
  assembler.close();
  return seen < 0 ? undefined : said(assembler.buildFinalMessage());
}

async function ai(lines) {
  const stream = new ReadableStream({
    start(controller) {
      for (const line of lines) controller.enqueue(JSON.parse(line));
      controller.close();
    },
  });
  let last;
  for await (const message of readUIMessageStream({ stream })) last = message;
  const part = last.parts.find((each) => each.type !== "step-start");
  return part.type === "text" ? part.text : part.input;
}

class Recorded extends AbstractAgent {
  constructor(lines) {
    super({ threadId: "t1" });
    this.lines = lines;
  }

  run() {
    return new Observable((subscriber) => {
      for (const line of this.lines) subscriber.next(JSON.parse(line));
      subscriber.complete();
    });
  }
}

async function agUi(lines) {
  const agent = new Recorded(lines);
  await agent.runAgent({ runId: "run_1" });
  const message = agent.messages.at(-1);
  const [call] = message.toolCalls ?? [];
  return call === undefined ? message.content : JSON.parse(call.function.arguments);
}

export const CONTESTANTS = [
  { name: "partwire, snapshot()", run: partwire, make: deltas },
  { name: "partwire, progress()", run: partwireProgress, make: deltas },
  { name: "ai, readUIMessageStream", run: ai, make: chunks, isPeer: true },
  { name: "@ag-ui/client, runAgent", run: agUi, make: events, isPeer: true },
];

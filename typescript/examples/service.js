/**
 * The service of the examples, as a handler of web standards: Node, Deno and Bun serve it alike. It has
 * two pages, and answers questions with deltas as server-sent events.
 */
import { readFile } from "node:fs/promises";
import { adapt, user } from "partwire";

/** @import { message } from "partwire" */

/**
 * Answers a request.
 * @param {Request} request
 * @returns {Promise<Response>}
 */
export async function handle(request) {
  const { pathname } = new URL(request.url);
  if (request.method === "POST" && pathname === "/answers") {
    const question = user(await request.text());
    const deltas = adapt("openai-chat", provider(question), { runId: question.runId });
    return new Response(events(deltas), { headers: { "content-type": "text/event-stream" } });
  }
  const path = pathname === "/" ? "/plain.html" : pathname;
  const type = path.endsWith(".html") ? "text/html" : "text/javascript";
  // The pages, and the package for them; an application has a bundler instead.
  const folder = /^\/(plain|react)\.(html|js)$/.test(path) ? "." : "./node_modules";
  try {
    if (!/^[\w/.-]+\.(html|js)$/.test(path) || path.includes("..")) throw new Error("There is no such page");
    return new Response(await readFile(new URL(folder + path, import.meta.url)), { headers: { "content-type": type } });
  } catch {
    return new Response("There is no such page", { status: 404 });
  }
}

/**
 * Stands in for the provider, which would be asked as docs/typescript.md says (`encodeRequest`, then
 * `fetch`): yields the bytes of its response. Asked to "stop", it breaks off.
 * @param {message.Message} question
 */
async function* provider(question) {
  const asked = question.parts.map((part) => (part.kind === "text" ? part.payload.text : "")).join("");
  const words = `You asked: ${asked}. This answer comes word by word.`.split(/(?= )/);
  for (const [index, content] of words.entries()) {
    if (asked === "stop" && index === 4) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield encode({ id: "answer_1", model: "stand-in", choices: [{ index: 0, delta: { content } }] });
  }
  yield encode({ id: "answer_1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
}

/**
 * Returns the deltas as server-sent events, each made when it is wanted; who goes away ends the stream.
 * @param {AsyncGenerator<message.MessageDelta>} deltas
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
 */
function events(deltas) {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await deltas.next();
      if (done) controller.close();
      else controller.enqueue(encode(value));
    },
    async cancel() {
      await deltas.return(undefined);
    },
  });
}

const encoder = new TextEncoder();

/** @param {unknown} event */
const encode = (event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`);

/** The service on Node: `node node.js`, then open what it prints. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { handle } from "./service.js";

const server = createServer(async (request, response) => {
  const { method = "GET", url = "/" } = request;
  const body = method === "POST" ? await text(request) : null;
  const answer = await handle(new Request(new URL(url, "http://localhost"), { method, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) {
    if (response.destroyed) break; // the reader has gone
    response.write(chunk);
  }
  response.end();
});
server.listen(Number(process.env["PORT"] ?? 8000), "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`);
});

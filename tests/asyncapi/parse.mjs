// node parse.mjs FILE...: what the official parser makes of AsyncAPI documents, as a JSON array.
import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";

const parser = new Parser();

async function read(file) {
  const { document, diagnostics } = await parser.parse(readFileSync(file, "utf8"));
  const operations = (document?.operations().all() ?? []).map((operation) => ({
    id: operation.id(),
    action: operation.action(),
    roles: operation.tags().all().map((tag) => tag.name()),
    addresses: operation.channels().all().map((channel) => channel.address()),
    messages: operation.messages().all().map((message) => message.id()),
    replies: (operation.reply()?.messages().all() ?? []).map((message) => message.id()),
    replyAddresses: [operation.reply()?.channel()?.address() ?? []].flat(),
  }));
  const messages = (document?.components().messages().all() ?? []).map((message) => ({
    id: message.id(),
    correlation: message.correlationId()?.location() ?? null,
    payload: message.payload()?.json() ?? null,
    format: message.schemaFormat() ?? null,
    examples: message.examples().all().map((example) => example.payload()),
  }));
  const told = diagnostics.map(({ severity, code, message, path }) => ({
    severity,
    code,
    message,
    path: path.join("/"),
  }));
  // The payloads' references are followed to objects, which may be many: a small part is written.
  const small = messages.map(({ payload, ...message }) => ({
    ...message,
    messageType: payload?.properties?.message_type?.const ?? null,
    members: Object.keys(payload?.properties ?? {}),
  }));
  return { diagnostics: told, operations, messages: small };
}

const results = [];
for (const file of process.argv.slice(2)) results.push(await read(file));
process.stdout.write(JSON.stringify(results));

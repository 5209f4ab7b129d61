/** A client with partwire's TypeScript package: asks the service and assembles its answer. */
import { argv, stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";
import { consumeStream, formatFinding, MessageAssembler, type message, Unknown, validate } from "partwire";

/**
 * Return the answer of the service at `url`; `onText` is given its text as it comes.
 *
 * Throws what partwire throws, never half a message: for a stream that failed, was cut or breaks a
 * rule, and for an event that is not a delta.
 */
export async function ask(
  url: string,
  question: message.Message,
  onText: (text: string) => void,
): Promise<message.Message> {
  const response = await fetch(`${url}/answers`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const assembler = new MessageAssembler();
  for await (const delta of consumeStream(assembler, response.body, { mode: "tolerant" })) {
    if (!(delta instanceof Unknown) && delta.kind === "text") onText(delta.payload.textDelta);
  }
  return assembler.buildFinalMessage();
}

// node ask.js URL < question.json > answer.json
const [, , url = ""] = argv;
const question = JSON.parse(await text(stdin));
const findings = validate(question, "message.Message");
if (findings.length > 0) throw new Error(findings.map(formatFinding).join("\n"));
let shown = "";
const answer = await ask(url, question, (piece) => {
  shown += piece;
});
stdout.write(`${JSON.stringify({ shown, answer })}\n`);

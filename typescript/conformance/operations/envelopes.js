/** Queue messages: envelope. */
import {
  checkReply,
  checkToolResults,
  decodePromptBlock,
  parseAllowedTools,
  parseWithFindings,
  retryEvent,
  sniff,
} from "../../dist/envelope/index.js";
import { readYamlList } from "../../dist/envelope/yaml.js";
import { LATEST_VERSION, read, toWire, VERSIONS } from "../../dist/index.js";
import { bytesOf, findingsOf, guarded, refusalOf } from "./values.js";

const tolerant = (text, type) => read(bytesOf(text), type, { mode: "tolerant" });
const typed = (text, type) => ({ type, value: tolerant(text, type) });

/** Returns a message of ours as a version has it; one that is written for an older peer stays as it is. */
function served(message, type, version) {
  const isOlder = VERSIONS.indexOf(message.schema_version) <= VERSIONS.indexOf(version);
  if (version === LATEST_VERSION || isOlder) return toWire(message, type);
  return toWire({ ...message, schema_version: version }, type, { version });
}

const CALLS = {
  parse({ type, input, mode }) {
    const { value, findings } = parseWithFindings(type, bytesOf(input), { mode });
    return { value: toWire(value, `envelope.${type.replace(/^envelope\./, "")}`), findings: findingsOf(findings) };
  },
  sniff: ({ input }) => ({ types: sniff(bytesOf(input)) }),
  retry({ type, input, sent }, version) {
    const clock = () => sent.sent_at;
    const event = retryEvent(tolerant(input, type), { clock, makeId: () => sent.message_id });
    return { value: served(event, "envelope.RetryEvent", version) };
  },
  reply({ type, input, reply, reply_type: replyType }) {
    return { findings: findingsOf(checkReply(typed(input, type), typed(reply, replyType))) };
  },
  "tool-results": ({ type, input, invocation_ids: ids }) => ({
    findings: findingsOf(checkToolResults(tolerant(input, type), ids)),
  }),
  "allowed-tools": ({ text }) => ({ tools: parseAllowedTools(text, readYamlList) }),
  "prompt-block": ({ text }) => ({ text: decodePromptBlock(text) }),
};

export function envelope(given, version) {
  const call = CALLS[given.call];
  if (call === undefined) throw new TypeError(`no such call: ${given.call}`);
  return guarded(() => call(given, version), refusalOf);
}

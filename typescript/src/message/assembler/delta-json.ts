/** The JSON text of one delta → its value. */
import { decodeJson, decodeText } from "../../json/documents.js";
import { LONGEST_MATCHED, STRING, unescaped } from "../../json/strings.js";
import { isUnicode } from "../../json/text.js";
import type { JsonValue } from "../../json/values.js";

const member = (name: string, value: string): string => `"${name}": ?${value}`;
const KIND = member("kind", '"(text|thinking|tool_call_args)"');
const HEAD = `${member("runId", STRING)}, ?${member("seq", "(0|[1-9][0-9]{0,14})")}`;
const CONTENT = `(?:${member("toolCallId", STRING)}, ?)?"(textDelta|argsTextDelta)": ?${STRING}`;
const REST = `${member("payload", `\\{${CONTENT}\\}`)}, ?${member("timestamp", STRING)}`;

/**
 * The deltas of which most streams consist, as Python's package and this one write them: the kind is
 * at the beginning, or behind seq. Reading one so takes a third of the time of parsing.
 */
const FREQUENT = new RegExp(`^\\{(?:${KIND}, ?)?${HEAD}, ?(?:${KIND}, ?)?${REST}\\}$`);

/** Returns the JSON value of a delta's text, and throws, as {@link decodeJson} does. */
export function decodeDelta(data: Uint8Array | string): JsonValue {
  const text = typeof data === "string" ? data : decodeText(data);
  const found = text.length <= LONGEST_MATCHED && isUnicode(text) ? FREQUENT.exec(text) : null;
  return (found === null ? undefined : frequentValue(found)) ?? decodeJson(text);
}

/** Returns the value of a frequent delta; undefined for one that has to be parsed after all. */
function frequentValue(found: RegExpExecArray): JsonValue | undefined {
  const [, first, run, seq, later, call, name, content, time] = found;
  if ((first === undefined) === (later === undefined)) return undefined; // without a kind, or with two
  const [runId, text, timestamp] = [unescaped(run as string), unescaped(content as string), unescaped(time as string)];
  const toolCallId = call === undefined ? "" : unescaped(call);
  if (runId === undefined || text === undefined || timestamp === undefined || toolCallId === undefined) {
    return undefined;
  }
  const payload = payloadOf(call === undefined ? undefined : toolCallId, name, text);
  if (first !== undefined) return { kind: first, runId, seq: Number(seq), payload, timestamp };
  return { runId, seq: Number(seq), kind: later as string, payload, timestamp };
}

function payloadOf(toolCallId: string | undefined, name: string | undefined, text: string): JsonValue {
  if (name === "textDelta") return toolCallId === undefined ? { textDelta: text } : { toolCallId, textDelta: text };
  return toolCallId === undefined ? { argsTextDelta: text } : { toolCallId, argsTextDelta: text };
}

/** Requests: encode_request. */
import { ENCODERS, encodeRequest } from "../../dist/providers/requests.js";
import { bytesOf, findingsOf, guarded, refusalOf, Skip } from "./values.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encode({ dialect, input }) {
  if (!ENCODERS.has(dialect)) throw new Skip(`there is no encoder for ${dialect}`);
  const { messages, ...options } = JSON.parse(decoder.decode(bytesOf(input)));
  return guarded(() => {
    const { body, findings } = encodeRequest(dialect, messages, options);
    return { body, findings: findingsOf(findings) };
  }, refusalOf);
}

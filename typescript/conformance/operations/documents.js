/** Documents: validate and read. */
import { readWithFindings, toWire, validate } from "../../dist/index.js";
import { bytesOf, findingsOf, guarded, refusalOf } from "./values.js";

export const validateDocument = ({ type, document }, version) => ({
  findings: findingsOf(validate(bytesOf(document), type, { version })),
});

export const reading =
  (mode) =>
  ({ type, document }, version) =>
    guarded(() => {
      const { value, findings } = readWithFindings(bytesOf(document), type, { mode, version });
      const made = { value: toWire(value, type, { version }), findings: findingsOf(findings) };
      const places = findings.filter((each) => each.rule === "read/unknown-enum-value").map((each) => each.pointer);
      if (places.length === 0) return made;
      return { ...made, defaults: Object.fromEntries(places.map((place) => [place, at(value, place)])) };
    }, refusalOf);

const nameOf = (token) => token.replaceAll("~1", "/").replaceAll("~0", "~");
const at = (value, pointer) =>
  pointer
    .split("/")
    .slice(1)
    .reduce((node, token) => node[nameOf(token)], value);

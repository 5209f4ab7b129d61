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
      return { value: toWire(value, type, { version }), findings: findingsOf(findings) };
    }, refusalOf);

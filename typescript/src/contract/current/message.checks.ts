// Generated from schemas/catalog.json.
// Do not edit: change the catalog, then run `python -m codegen`.

/** What checks the types of messages in the current version: compiled verdicts, and schema data. */
export { verdicts } from "../../compiled/v0_3/message.js";
export { data } from "../../generated/v0_3/message.data.js";

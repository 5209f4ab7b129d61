// Generated from schemas/catalog.json.
// Do not edit: change the catalog, then run `python -m codegen`.

/** What checks the types of sessions in the current version: compiled verdicts, and schema data. */
export { verdicts } from "../../compiled/v0_3/session.js";
export { data } from "../../generated/v0_3/session.data.js";

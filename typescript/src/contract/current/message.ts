// Generated from schemas/catalog.json.
// Do not edit: change the catalog, then run `python -m codegen`.

/** The types of messages in the current version. */
export type * from "../../generated/v0_3/message.js";

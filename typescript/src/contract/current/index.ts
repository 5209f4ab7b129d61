// Generated from schemas/catalog.json.
// Do not edit: change the catalog, then run `python -m codegen`.

/**
 * The contract version that is spoken where none is named. What is not about versions takes types,
 * data and vocabularies from here: no other room names the current version.
 */
export type { blocks, envelope, message, session } from "../../generated/v0_3/index.js";
export * from "../../generated/v0_3/vocabulary.js";

export type Latest = "v0.3";

/** The newest version: the one that is written. */
export const LATEST_VERSION: Latest = "v0.3";

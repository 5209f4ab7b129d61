// Generated from schemas/catalog.json.
// Do not edit: change the catalog, then run `python -m codegen`.

/** The versions of the contract: their names alone. */

export type Version = "v0.1" | "v0.2" | "v0.3";

/** Every contract version, the oldest first. */
export const VERSIONS: readonly Version[] = ["v0.1", "v0.2", "v0.3"];

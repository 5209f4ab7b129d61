/** The versions of the contract: their names alone. */

export type Version = "v0.1" | "v0.2";
export type Latest = "v0.2";

/** Every contract version, the oldest first. */
export const VERSIONS: readonly Version[] = ["v0.1", "v0.2"];

/** The contract version that is spoken where none is named. */
export const LATEST_VERSION: Latest = "v0.2";

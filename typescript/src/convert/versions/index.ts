/**
 * Documents of one contract version as those of another, and which version two peers speak. Up a version
 * nothing is lost that the older one knows; down, what the older version cannot say is reported as
 * losses.
 */

export { Unknown } from "../../contract/unknown.js";
export { type Finding, PartwireError, ReadError, type Severity, UsageError, WriteError } from "../../errors.js";
export { MIGRATION_LOSSES, type MigrationCode } from "../../generated/tables/losses.js";
export { VERSIONS, type Version } from "../../generated/versions.js";
export type { Loss, LossSeverity, LossTable } from "../losses.js";
export { DeltaDowngrade } from "./deltas.js";
export { MigrationError } from "./errors.js";
export { downgrade, type Migrated, type MigrateOptions, migrate } from "./migrate.js";
export { NegotiationError, negotiate } from "./negotiation.js";
export { load, migrateRecord, readRecord, type StoredRecord, store } from "./stored.js";

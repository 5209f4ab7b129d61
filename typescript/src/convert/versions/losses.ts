/** Every loss that a migration between versions reports, by its code. */

import { errorAt, type Finding, isSome, PartwireError } from "../../errors.js";
import type { Loss, LossTable } from "../losses.js";

const TABLE = {
  // Any step.
  "unknown-member": ["lossy", "A member that its version does not name is left out"],
  // v0.2 to v0.1.
  "message-id": ["lossy", "The id of the message is left out"],
  "turn-id": ["lossy", "The id of the turn is left out"],
  opaque: ["lossy", "Provider state has no place here, and is left out"],
  "opaque-provider": ["lossy", "meta.opaque holds the state of one provider: the first one's"],
  "opaque-form": ["lossy", "Provider state that no adapter wrote has no place in meta.opaque"],
  "opaque-in-meta": ["lossy", "meta.opaque gives way to the state of the parts"],
  "opaque-lifted": ["info", "Read again, the state in meta.opaque stands on the parts"],
  "opaque-moved": ["info", "Provider state stands at another part than in v0.2"],
  "parts-joined": ["info", "Parts that only provider state kept apart are one"],
  "empty-meta": ["info", "An empty meta holds the provider state, and is not told from none"],
  "usage-detail": ["lossy", "This count of tokens is left out"],
  "provider-finish-reason": ["lossy", "The provider's own finish reason is left out"],
  "media-as-image": ["info", "The media is an image part"],
  "media-as-file": ["info", "The media is a file_ref part; what it holds is a data: URL"],
  "media-detail": ["lossy", "The part has no place for this member of the media"],
  "assistant-part": ["lossy", "An assistant's message holds no images and files: it is left out"],
  "message-type": ["info", "The type of the message is not said; its queue tells it"],
  "message-type-lost": ["lossy", "The type of the message is left out"],
} as const satisfies LossTable;

export type MigrationCode = keyof typeof TABLE;

/** Severity and words of every code. */
export const MIGRATION_LOSSES: Readonly<Record<MigrationCode, LossTable[string]>> = TABLE;

/** What is said of a member that the older version does not name. */
export const MEMBER_CODES: Readonly<Record<string, MigrationCode>> = {
  messageId: "message-id",
  turnId: "turn-id",
  opaque: "opaque",
  providerFinishReason: "provider-finish-reason",
  reasoningTokens: "usage-detail",
  cacheReadTokens: "usage-detail",
  cacheWriteTokens: "usage-detail",
  total: "usage-detail",
  message_type: "message-type",
};

// --- errors --------------------------------------------------------------------------------------
// What a refused migration says.

/** A migration that cannot be, or that would lose something and was asked to be strict. */
export class MigrationError extends PartwireError {
  constructor(
    findings: Finding | readonly [Finding, ...Finding[]],
    /** All losses of the refused migration. */
    readonly losses: readonly Loss[] = [],
  ) {
    super(findings);
  }
}

/** Throws MigrationError `migrate/lossy` if one of `losses` is lossy. */
export function refuseLossy(losses: readonly Loss[]): void {
  const lossy = losses.filter((each) => each.severity === "lossy");
  const findings = lossy.map(({ pointer, detail, code }) => errorAt(pointer, "migrate/lossy", `${detail} (${code})`));
  if (isSome(findings)) throw new MigrationError(findings, losses);
}

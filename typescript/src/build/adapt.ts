/** Deltas of a provider's response, with run and times by default. */
import { now } from "../contract/clock.js";
import type { MessageDelta } from "../contract/current/message.js";
import { newId } from "../contract/ids.js";
import type { AdapterInit } from "../providers/core/adapter.js";
import type { Framing } from "../providers/core/byte-adapter.js";
import type { ByteSource } from "../providers/framing/source.js";
import { adaptBytes } from "../providers/index.js";

/** What {@link adapt} takes beside the bytes. */
export interface AdaptOptions extends Partial<AdapterInit> {
  /** A new id where absent. */
  readonly runId?: string;
  readonly framing?: Framing;
}

/**
 * Yields the deltas of a provider's response, such as `response.body`: bytes in any cut; the last
 * delta is `done` or `error`. `clock` gives the present instant where it is absent. For findings take
 * a `ByteAdapter` of `partwire/providers`. Throws UsageError `usage/unknown-dialect` or
 * `usage/invalid-argument`.
 */
export function adapt(
  dialect: string,
  chunks: ByteSource,
  options: AdaptOptions = {},
): AsyncGenerator<MessageDelta, void, undefined> {
  const { runId = newId("run"), clock = now, ...init } = options;
  return adaptBytes(dialect, chunks, runId, { ...init, clock });
}

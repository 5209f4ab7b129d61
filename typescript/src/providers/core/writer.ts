/**
 * The writing half of every adapter: deltas that keep the contract, whatever the provider sent.
 *
 * What holds for every stream that comes out of here:
 *
 * - The first delta is `start`, exactly one `done` or `error` is the last, `seq` counts from 0
 *   without a gap.
 * - No text, thinking or argument delta is empty, but for one that ends its part and carries what
 *   the provider wants back with it; none holds half a character: the two halves of a surrogate
 *   pair are joined, also across deltas; a half whose other half never comes becomes U+FFFD, with
 *   a finding.
 * - A tool call has a name, an id that the run has not used, one start and one end; `done` comes
 *   with no call and no media open.
 * - A citation has a text part, a result of a server tool is the first of its call, an approval
 *   request has a call that has ended, media has bytes. What cannot be written is not, and who
 *   asked for it is told so by false.
 *
 * Source: semantics, model and adapters.
 */
import type { DoneDeltaPayload, ErrorDeltaPayload } from "../../contract/current/message.js";
import { RETRYABLE } from "./errors.js";
import { OpenCall } from "./ids.js";
import { wellFormed } from "./values.js";
import { MediaWriter, OpenMedia } from "./writing/media.js";
import { asName } from "./writing/stream.js";

export type { Items, PartKind, StreamWords, TextKind } from "./writing/stream.js";
export { OpenCall, OpenMedia };

/** Appends deltas to `out`, from the start to the last one. */
export class DeltaWriter extends MediaWriter {
  /** Closes what is open and ends the stream as complete; `said` is the provider's reason. */
  done(finishReason: string, said?: string): void {
    this.start();
    for (const media of [...this.media]) {
      if (this.endMedia(media)) continue;
      for (const [kind, data] of media.kept) this.keep(kind, data);
    }
    const calls = [...this.open.values()];
    // Text that is still open is ended behind the calls, and carries the rest.
    for (const call of calls) this.endCall(call, call === calls.at(-1) && this.kind === undefined);
    this.#endParts();
    const payload: DoneDeltaPayload = { finishReason };
    if (said !== undefined && said !== "") payload.providerFinishReason = asName(said);
    this.add("done", payload);
    this.ended = true;
  }

  /** Ends the stream as failed. Open calls and media stay open: nothing may take them for complete. */
  fail(errorCode: string, message?: string, retryable?: boolean): void {
    this.start();
    this.#endParts();
    const payload: ErrorDeltaPayload = { errorCode };
    if (message !== undefined) payload.message = wellFormed(message);
    payload.retryable = retryable ?? RETRYABLE.get(errorCode) ?? false;
    this.add("error", payload);
    this.ended = true;
  }

  /** Ends the last part; whatever the provider wants back has its place in a delta now. */
  #endParts(): void {
    this.dropHalf();
    this.collect?.();
    if (this.kind === undefined && this.state.isDue) {
      // The last part is a tool call, or there is none: an empty part carries the rest.
      this.kind = "thinking";
      this.part++;
      this.chars = 0;
    }
    if (this.kind !== undefined) {
      const open = [...this.open.values(), ...this.media];
      const leftOut = new Set(open.map(({ part }) => part).filter((part) => part >= 0));
      this.seal(this.kind, this.state.isDue ? this.state.rest(this.part, undefined, leftOut) : undefined);
    }
    this.reportUsage();
  }
}

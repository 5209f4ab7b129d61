/** What a model's adapter has to have, and the one error that it throws. */
import { errorAt, PartwireError } from "../errors.js";
import type { Message, ModelResponse } from "../generated/v0_2/blocks.js";
import type { StreamingResponse } from "./streaming-response.js";

/**
 * What an adapter throws where there is no response: the error half of a result. `errorCode` is one of
 * the contract's error codes (`rate_limited`, `timeout`, …; an open string), `reason` says to people
 * what happened, `retryable` whether the same request may succeed later; `cause` is what the adapter
 * caught. Source: requirements S003-10, S003-11.
 */
export class ModelAdapterError extends PartwireError {
  readonly retryable: boolean;

  constructor(
    readonly errorCode: string,
    readonly reason: string,
    more: { readonly retryable?: boolean; readonly cause?: unknown } = {},
  ) {
    super(errorAt("", "blocks/adapter-failed", reason, "a response", errorCode));
    this.retryable = more.retryable ?? false;
    if (more.cause !== undefined) this.cause = more.cause;
  }
}

/**
 * A model behind one interface. `messages` are the conversation in order, `systemPrompt` is undefined
 * where there is none, `maxTokens` bounds the answer. Both ways of sending throw ModelAdapterError
 * where the model gives no response. Source: requirements S003-10 to S003-13.
 */
export interface ModelAdapter {
  /** Returns the whole response. */
  sendMessage(
    messages: readonly Message[],
    systemPrompt: string | undefined,
    maxTokens: number,
  ): Promise<ModelResponse>;
  /** Returns the response as a stream; errors after its beginning come through the stream. */
  streamMessage(
    messages: readonly Message[],
    systemPrompt: string | undefined,
    maxTokens: number,
  ): Promise<StreamingResponse>;
  /** Returns the model's name. */
  modelName(): string;
  /** Tells whether `streamMessage` may be called. */
  supportsStreaming(): boolean;
}

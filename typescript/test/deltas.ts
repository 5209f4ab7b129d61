/** Deltas for tests, in the order in which they are asked for. */
import type { MessageDelta } from "../src/index.js";

const TIME = "2026-01-02T03:04:05Z";

/** Makes the deltas of one stream; each gets the next seq. */
export class Deltas {
  #seq = 0;

  constructor(readonly runId = "run_1") {}

  make<K extends MessageDelta["kind"]>(kind: K, payload: Extract<MessageDelta, { kind: K }>["payload"]): MessageDelta {
    return { runId: this.runId, seq: this.#seq++, kind, payload, timestamp: TIME } as unknown as MessageDelta;
  }

  start = (): MessageDelta => this.make("start", { modelId: "model-1", requestId: "req_1" });
  text = (textDelta: string): MessageDelta => this.make("text", { textDelta });
  thinking = (textDelta: string): MessageDelta => this.make("thinking", { textDelta });
  call = (toolCallId: string, toolName = "tool"): MessageDelta =>
    this.make("tool_call_start", { toolCallId, toolName });
  args = (toolCallId: string, argsTextDelta: string): MessageDelta =>
    this.make("tool_call_args", { toolCallId, argsTextDelta });
  end = (toolCallId: string): MessageDelta => this.make("tool_call_end", { toolCallId });
  usage = (tokens: number): MessageDelta =>
    this.make("usage", { inputTokens: tokens, outputTokens: tokens, totalTokens: 2 * tokens });
  done = (): MessageDelta => this.make("done", { finishReason: "stop" });
  error = (errorCode: string): MessageDelta => this.make("error", { errorCode });
}

/** Returns what `work` throws; fails where it throws nothing. */
export function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** Returns the rule of the error that `work` throws. */
export function ruleOf(work: () => unknown): string {
  return (thrown(work) as { rule: string }).rule;
}

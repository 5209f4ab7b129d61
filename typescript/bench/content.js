/** The same content as deltas of the contract, as chunks of `ai` and as events of AG-UI; `written` makes JSON text of them. */

const TIME = "2026-01-02T03:04:05Z";
export const WORDS = ["The ", "answer ", "to ", "that ", "is ", "rain, ", "4 °C ", "in ", "Oslo", ". "];

/** Pieces of text, or of one tool call's argument text: `count` in all. */
export function pieces(mix, count) {
  const words = Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length]);
  return mix === "text" ? words : ['{"text":"', ...words.slice(2), '"}'];
}

/** Deltas of the contract. */
export function deltas(mix, count) {
  let seq = 0;
  const make = (kind, payload) => ({ runId: "run_1", seq: seq++, kind, payload, timestamp: TIME });
  const parts = pieces(mix, count);
  const start = make("start", { modelId: "model-1", requestId: "req_1" });
  const body =
    mix === "text"
      ? parts.map((textDelta) => make("text", { textDelta }))
      : [
          make("tool_call_start", { toolCallId: "call_1", toolName: "write" }),
          ...parts.map((argsTextDelta) => make("tool_call_args", { toolCallId: "call_1", argsTextDelta })),
          make("tool_call_end", { toolCallId: "call_1" }),
        ];
  return [start, ...body, make("done", { finishReason: "stop" })];
}

/** UI message chunks of `ai`. */
export function chunks(mix, count) {
  const parts = pieces(mix, count);
  const body =
    mix === "text"
      ? [
          { type: "text-start", id: "t1" },
          ...parts.map((delta) => ({ type: "text-delta", id: "t1", delta })),
          { type: "text-end", id: "t1" },
        ]
      : [
          { type: "tool-input-start", toolCallId: "call_1", toolName: "write" },
          ...parts.map((inputTextDelta) => ({ type: "tool-input-delta", toolCallId: "call_1", inputTextDelta })),
          { type: "tool-input-available", toolCallId: "call_1", toolName: "write", input: JSON.parse(parts.join("")) },
        ];
  return [
    { type: "start", messageId: "m1" },
    { type: "start-step" },
    ...body,
    { type: "finish-step" },
    { type: "finish" },
  ];
}

/** Events of AG-UI. */
export function events(mix, count) {
  const parts = pieces(mix, count);
  const body =
    mix === "text"
      ? [
          { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
          ...parts.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta })),
          { type: "TEXT_MESSAGE_END", messageId: "m1" },
        ]
      : [
          { type: "TOOL_CALL_START", toolCallId: "call_1", toolCallName: "write", parentMessageId: "m1" },
          ...parts.map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: "call_1", delta })),
          { type: "TOOL_CALL_END", toolCallId: "call_1" },
        ];
  const run = { threadId: "t1", runId: "run_1" };
  return [{ type: "RUN_STARTED", ...run }, ...body, { type: "RUN_FINISHED", ...run }];
}

/** Returns events as they are sent: JSON text each. */
export function written(events) {
  return events.map((event) => JSON.stringify(event));
}

/** Returns what a message has to hold in the end. */
export function due(mix, count) {
  const text = pieces(mix, count).join("");
  return mix === "text" ? text : JSON.parse(text);
}

/** Documents of all families for the laws of bridges and migrations, as fast-check makes them. */
import fc, { type Arbitrary } from "fast-check";

const UUIDS = ["a", "b", "C"].map((digit) => `0197c6f0-5a00-7000-8000-00000000000${digit}`);
const TIMES = [
  "2026-01-02T03:04:05Z",
  "2026-01-02T03:04:05.5+01:00",
  "0000-01-01T00:00:00Z",
  "2026-01-02T03:04:05.1234Z",
];

const text = fc.string({ unit: "binary", maxLength: 6 });
const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 });
const uuid = fc.constantFrom(...UUIDS);
const time = fc.constantFrom(...TIMES);
const mime = fc.constantFrom("image/png", "text/csv", "IMAGE/x");
const url = fc.constantFrom("https://a.example/b", "data:image/png;base64,aGk=", "a b", "data:image/png;base64,?");
const base64 = fc.constantFrom("", "aGk=", "QUJD");
const count = fc.nat({ max: 9 });
const free = fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3, noNullPrototype: true });
const item = fc.record(
  { kind: fc.constant("signature"), start: count, end: count, partOffset: fc.integer({ min: -2, max: 2 }) },
  { requiredKeys: ["kind"] },
);
const state = fc.record(
  { items: fc.array(item, { maxLength: 2 }), toolCallId: fc.constantFrom(null, "own") },
  { requiredKeys: [] },
);
const opaque = fc.record({ provider: fc.constantFrom("p", "p", "q"), data: fc.oneof(state, free) });

const optional = <T>(
  model: { [K in keyof T]: Arbitrary<T[K]> },
  requiredKeys: (keyof T & string)[],
): Arbitrary<object> => fc.record(model, { requiredKeys });
const part = (kind: string, payload: Arbitrary<object>): Arbitrary<object> =>
  fc.record({ kind: fc.constant(kind), payload });

const said = optional({ text, opaque }, ["text"]);
const textPart = part("text", said);
const call = optional(
  {
    toolCallId: fc.constantFrom("c1", "c2", ...UUIDS),
    toolName: name,
    arguments: free,
    rawArgsText: fc.constantFrom("{}", "{", '{"a":1}'),
    opaque,
  },
  ["toolCallId", "toolName", "arguments"],
);
const file = fc.oneof(
  part("image", fc.oneof(fc.record({ mimeType: mime, data: base64 }), fc.record({ mimeType: mime, url }))),
  part("file_ref", optional({ path: url, mimeType: mime, size: count }, ["path"])),
  part(
    "media",
    optional(
      {
        mimeType: mime,
        source: fc.oneof(
          fc.record({ kind: fc.constant("inline"), data: base64 }),
          fc.record({ kind: fc.constant("url"), url }),
          fc.record({ kind: fc.constant("ref"), ref: name }),
        ),
        name,
        sizeBytes: count,
        sha256: fc.constant("ab".repeat(32)),
      },
      ["mimeType", "source"],
    ),
  ),
);
const content = fc.oneof(text, free, fc.array(fc.oneof(textPart, file), { maxLength: 3 }));
export const toolResult = fc.record({
  toolCallId: fc.constantFrom("c1", "c2", ...UUIDS),
  isError: fc.boolean(),
  content: fc.oneof(content, fc.record({ code: name, message: text })),
});

const usage = optional(
  {
    inputTokens: count,
    outputTokens: count,
    totalTokens: count,
    reasoningTokens: count,
    cacheReadTokens: count,
    cost: count,
  },
  ["inputTokens", "outputTokens", "totalTokens"],
);
const meta = optional(
  { usage, completedAt: time, other: fc.jsonValue(), opaque: fc.jsonValue(), session: fc.jsonValue() },
  [],
);
const PARTS = {
  system: [textPart],
  user: [textPart, file],
  assistant: [textPart, part("thinking", said), part("tool_call", call), file],
  tool: [part("tool_result", toolResult)],
};
export const message = fc.constantFrom("system", "user", "assistant", "assistant", "tool", "tool").chain((role) =>
  optional(
    {
      runId: name,
      messageId: fc.oneof(uuid, name),
      turnId: name,
      role: fc.constant(role),
      parts: fc.array(fc.oneof(...PARTS[role as keyof typeof PARTS]), { maxLength: 4 }),
      timestamp: time,
      meta,
    },
    ["runId", "role", "parts", "timestamp"],
  ),
);

const ids = { id: name, sessionID: uuid, messageID: uuid };
const metadata = fc.oneof(free, fc.record({ opaque }));
const millis = fc.constantFrom(0, 1_767_323_045_000, 253_402_300_800_000);
const own = (
  type: string,
  model: Record<string, Arbitrary<unknown>>,
  others: Record<string, Arbitrary<unknown>> = {},
) =>
  fc.record({ ...ids, type: fc.constant(type), ...model, ...others }, {
    requiredKeys: [...Object.keys(ids), "type", ...Object.keys(model)],
  } as object) as Arbitrary<object>;
const filePart = own("file", { mime, url }, { filename: name });
const toolState = fc.oneof(
  fc.record({ status: fc.constant("pending"), input: free, raw: fc.constantFrom("{}", "{", "") }),
  fc.record({ status: fc.constant("running"), input: free, time: fc.record({ start: millis }) }),
  fc.record({
    status: fc.constant("error"),
    input: free,
    error: name,
    time: fc.record({ start: millis, end: millis }),
  }),
  optional(
    {
      status: fc.constant("completed"),
      input: free,
      output: name,
      title: name,
      metadata: free,
      time: fc.record({ start: millis, end: millis }),
      attachments: fc.array(filePart, { maxLength: 2 }),
    },
    ["status", "input", "output", "title", "metadata", "time"],
  ),
);
const tokens = optional(
  {
    input: count,
    output: count,
    reasoning: count,
    cache: fc.record({ read: count, write: count }),
    total: count,
  },
  ["input", "output", "reasoning", "cache"],
);
const head = { id: uuid, agent: name, time: fc.record({ created: millis, completed: millis }) };
const user = {
  ...head,
  role: fc.constant("user"),
  model: fc.record({ providerID: name, modelID: name }),
  system: text,
};
const path = fc.record({ cwd: name, root: name });
export const session = fc.record({
  info: fc.oneof(
    fc.record(user, { requiredKeys: ["id", "agent", "time", "role", "model"] }),
    fc.record({ ...head, role: fc.constant("assistant"), cost: count, tokens, path }),
  ),
  parts: fc.array(
    fc.oneof(
      own("text", { text }, { metadata, synthetic: fc.boolean(), ignored: fc.boolean() }),
      own("reasoning", { text, time: fc.record({ start: millis }) }, { metadata }),
      own("tool", { callID: fc.constantFrom("c1", "c2"), tool: name, state: toolState }, { metadata }),
      filePart,
      own("step-start", {}),
    ),
    { maxLength: 4 },
  ),
});

const textBlock = fc.record({ type: fc.constant("text"), text });
const imageBlock = fc.record({
  type: fc.constant("image"),
  image_type: fc.constantFrom("url", "base64", "other"),
  media_type: mime,
  data: url,
});
const blockId = fc.constantFrom("c1", "c2");
const blocks = fc.oneof(
  textBlock,
  imageBlock,
  fc.record({ type: fc.constant("tool_use"), tool_use_id: blockId, tool_name: name, parameters: free }),
  fc.record({
    type: fc.constant("tool_result"),
    tool_use_id: blockId,
    content: fc.oneof(text, fc.array(fc.oneof(textBlock, imageBlock), { maxLength: 2 })),
    is_error: fc.boolean(),
  }),
);
export const blocksMessage = fc.record({
  role: fc.constantFrom("user", "assistant", "system"),
  content: fc.oneof(text, fc.array(blocks, { maxLength: 4 })),
});

const error = fc.record({ code: fc.constantFrom("tool_error", "e"), message: text });
const data = fc.oneof(free, fc.record({ text }), fc.record({ content }));
export const envelopeResult = fc.record({
  invocation_id: uuid,
  tool_id: uuid,
  result_type: fc.constantFrom("tool_result", "tool_error", "other"),
  data,
  created_at: time,
});
export const response = fc.record(
  {
    message_id: uuid,
    sent_at: time,
    trace_id: name,
    schema_version: fc.constant("v0.2"),
    message_type: fc.constant("ToolCallResponse"),
    invocation_id: uuid,
    success: fc.boolean(),
    data,
    error,
  },
  { requiredKeys: ["message_id", "sent_at", "schema_version", "invocation_id", "success", "data", "error"] },
);

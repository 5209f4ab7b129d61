import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assemble } from "../src/index.js";
import {
  MessageAssembler,
  type MessageDelta,
  StreamFailed,
  StreamProtocolError,
  type ToolCallPart,
  Unknown,
} from "../src/message/assembler/index.js";
import { Deltas, ruleOf, thrown } from "./deltas.js";

/** Returns an assembler that has consumed the deltas. */
function fed(...deltas: MessageDelta[]): MessageAssembler {
  const assembler = new MessageAssembler();
  for (const delta of deltas) assembler.consume(delta);
  return assembler;
}

describe("a stream", () => {
  test("goes from idle to done, and gives its message", () => {
    const make = new Deltas();
    const assembler = fed(make.start(), make.text("Hel"), make.text("lo"), make.call("c1"), make.args("c1", '{"a":'));
    expect([assembler.status, assembler.runId, assembler.lastSeq]).toEqual(["started", "run_1", 4]);
    for (const delta of [make.args("c1", "1}"), make.end("c1"), make.text("!"), make.usage(3), make.done()]) {
      assembler.consume(delta);
    }
    assembler.close();
    expect(assembler.getError()).toBeNull();
    expect(assembler.buildFinalMessage()).toEqual({
      runId: "run_1",
      role: "assistant",
      timestamp: "2026-01-02T03:04:05Z",
      parts: [
        { kind: "text", payload: { text: "Hello" } },
        { kind: "tool_call", payload: { toolCallId: "c1", toolName: "tool", arguments: { a: 1 } } },
        { kind: "text", payload: { text: "!" } },
      ],
      meta: {
        modelId: "model-1",
        requestId: "req_1",
        finishReason: "stop",
        completedAt: "2026-01-02T03:04:05Z",
        usage: { inputTokens: 3, outputTokens: 3, totalTokens: 6 },
      },
    });
  });

  test("that fails throws with what had arrived", () => {
    const make = new Deltas();
    const assembler = fed(make.start(), make.text("Hi"), make.call("c1"), make.error("overloaded"));
    const error = thrown(() => assembler.buildFinalMessage()) as StreamFailed;
    expect(error).toBeInstanceOf(StreamFailed);
    expect(error.error).toEqual({ errorCode: "overloaded" });
    expect(assembler.getError()).toEqual({ errorCode: "overloaded" });
    expect(error.partial.parts).toEqual([{ kind: "text", payload: { text: "Hi" } }]);
    expect(error.partial.meta?.incomplete).toEqual({ ending: "error", openToolCallIds: ["c1"] });
  });

  test("that is cut is never a finished message", () => {
    const make = new Deltas();
    const assembler = fed(make.start(), make.text("Hi"));
    expect(assembler.buildPartial().meta?.incomplete?.ending).toBe("cancelled");
    expect(ruleOf(() => assembler.close())).toBe("stream/truncated");
    expect(ruleOf(() => assembler.buildFinalMessage())).toBe("stream/not-done");
    expect(assembler.buildPartial().meta?.incomplete?.ending).toBe("truncated");
  });

  test("can be begun anew after reset, and old snapshots stay", () => {
    const make = new Deltas();
    const assembler = new MessageAssembler({ runId: "run_1" });
    assembler.consume(make.start());
    assembler.consume(make.text("old"));
    const old = assembler.snapshot();
    assembler.reset();
    expect([assembler.status, assembler.runId, assembler.lastSeq, assembler.parts]).toEqual(["idle", "run_1", -1, []]);
    expect(ruleOf(() => assembler.snapshot())).toBe("stream/not-started");
    assembler.consume(new Deltas().start());
    expect(old.parts).toEqual([{ kind: "text", payload: { text: "old" } }]);
    expect(assembler.parts).toEqual([]);
  });
});

describe("a refused delta", () => {
  const make = new Deltas();
  const stream = [
    make.start(),
    make.text("Hi"),
    make.call("c1"),
    make.args("c1", "{"),
    make.call("c2"),
    make.end("c2"),
  ];
  const late = { runId: "run_1", seq: 100, timestamp: "2026-01-02T03:04:05Z" };
  const refused: [string, unknown][] = [
    ["stream/duplicate-start", { ...stream[0], seq: 100 }],
    ["stream/run-id-mismatch", { ...late, runId: "run_2", kind: "text", payload: { textDelta: "x" } }],
    ["stream/seq-not-increasing", { ...late, seq: 5, kind: "text", payload: { textDelta: "x" } }],
    ["stream/duplicate-tool-call", { ...late, kind: "tool_call_start", payload: { toolCallId: "c1", toolName: "t" } }],
    ["stream/unknown-tool-call", { ...late, kind: "tool_call_end", payload: { toolCallId: "constructor" } }],
    ["stream/tool-call-closed", { ...late, kind: "tool_call_args", payload: { toolCallId: "c2", argsTextDelta: "" } }],
    ["stream/tool-call-open", { ...late, kind: "done", payload: { finishReason: "stop" } }],
    ["stream/message-id-mismatch", { ...late, messageId: "m", kind: "text", payload: { textDelta: "x" } }],
    ["stream/turn-id-mismatch", { ...late, turnId: "t", kind: "text", payload: { textDelta: "x" } }],
    ["document/lone-surrogate", { ...late, kind: "text", payload: { textDelta: "\ud83d" } }],
    [
      "document/lone-surrogate",
      { ...late, kind: "tool_call_args", payload: { toolCallId: "c1", argsTextDelta: "\udc00" } },
    ],
    ["stream/invalid-timestamp", { ...late, timestamp: "soon", kind: "error", payload: { errorCode: "timeout" } }],
    ["stream/invalid-delta", { ...late, seq: 1.5, kind: "text", payload: { textDelta: "x" } }],
    ["stream/invalid-delta", { ...late, kind: "text", payload: { textDelta: 1 } }],
    ["stream/invalid-delta", { ...late, kind: "text", payload: null }],
    ["stream/invalid-delta", { ...late, kind: "toString", payload: {} }],
    ["stream/invalid-delta", new Unknown("kind", "text", { ...late, kind: "text" })],
    ["stream/invalid-delta", null],
    ["stream/invalid-delta", []],
  ];

  test.each(refused)("is refused by its rule and changes nothing: %s", (rule, delta) => {
    const assembler = fed(...stream);
    const before = JSON.stringify([assembler.progress(), assembler.lastSeq, [...assembler.toolCallsBuffer]]);
    const error = thrown(() => assembler.consume(delta as MessageDelta));
    expect(error).toBeInstanceOf(StreamProtocolError);
    expect((error as StreamProtocolError).rule).toBe(rule);
    expect(JSON.stringify([assembler.progress(), assembler.lastSeq, [...assembler.toolCallsBuffer]])).toBe(before);
  });

  test("comes first in a stream that has not started, and last in one that has ended", () => {
    const first = new Deltas();
    expect(ruleOf(() => fed(first.text("x")))).toBe("stream/start-expected");
    const whole = new Deltas();
    expect(ruleOf(() => fed(whole.start(), whole.done(), whole.text("x")))).toBe("stream/after-terminal");
  });
});

describe("arguments", () => {
  const called = (text: string) => {
    const make = new Deltas();
    const message = fed(
      make.start(),
      make.call("c1"),
      make.args("c1", text),
      make.end("c1"),
      make.done(),
    ).buildFinalMessage();
    const part = message.parts[0];
    if (part?.kind !== "tool_call") throw new Error("no call");
    return { ...part.payload, errors: message.meta?.toolCallParseErrors };
  };

  test("beyond 2^53 keep their text", () => {
    const text = '{"id":9007199254740993}';
    expect(called(text)).toMatchObject({ arguments: { id: 9007199254740992 }, rawArgsText: text, errors: undefined });
    expect(called('{"id":9007199254740991}')).not.toHaveProperty("rawArgsText");
    expect(called('{"id":9007199254740993.0}')).not.toHaveProperty("rawArgsText");
    expect(called('{"id":9007199254740993,"id":1}')).not.toHaveProperty("rawArgsText");
    expect(called('{"id":"9007199254740993"}')).not.toHaveProperty("rawArgsText");
  });

  test("called __proto__ or constructor are data", () => {
    const { arguments: args } = called('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.keys(args)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(JSON.stringify(args)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
  });

  test.each([
    '{"a":',
    "NaN",
    '{"a":NaN}',
    '{"a":"\\ud800"}',
    '{"a":1e999}',
    "{} {}",
    "\ufeff{}",
    `{"a":${"9".repeat(310)}}`,
  ])("that no document may hold are invalid_json: %s", (text) => {
    expect(called(text)).toMatchObject({
      arguments: {},
      rawArgsText: text,
      errors: [{ toolCallId: "c1", error: "invalid_json" }],
    });
  });

  test("that are not objects are reported", () => {
    expect(called("[1]")).toMatchObject({ arguments: {}, rawArgsText: "[1]", errors: [{ error: "not_an_object" }] });
    expect(called(" \n")).toMatchObject({ arguments: {}, errors: undefined });
  });

  test("belong to their reader", () => {
    const make = new Deltas();
    const assembler = fed(make.start(), make.call("c1"), make.args("c1", '{"a":[1]}'), make.end("c1"), make.done());
    const [first, second] = [assembler.buildFinalMessage(), assembler.buildFinalMessage()];
    Object.assign((first.parts[0] as ToolCallPart).payload.arguments, { a: "changed" });
    expect(second.parts[0]?.payload).toMatchObject({ arguments: { a: [1] } });
  });
});

describe("limits", () => {
  test.each([
    [{ textBytes: 3 }, "textBytes", (make: Deltas) => [make.text("é"), make.text("é")]],
    [{ argumentsBytes: 1 }, "argumentsBytes", (make: Deltas) => [make.call("c"), make.args("c", "{}")]],
    [{ toolCalls: 1 }, "toolCalls", (make: Deltas) => [make.call("a"), make.call("b")]],
    [{ parts: 1 }, "parts", (make: Deltas) => [make.text("a"), make.thinking("b")]],
    [{ idChars: 6 }, "idChars", (make: Deltas) => [make.call("1234567")]],
    [
      { argumentsDepth: 1 },
      "argumentsDepth",
      (make: Deltas) => [make.call("c"), make.args("c", '{"a":[]}'), make.end("c")],
    ],
  ])("are named by the delta that passes them: %j", (limits, name, deltas) => {
    const make = new Deltas();
    const assembler = new MessageAssembler({ limits: limits });
    const start = make.start();
    assembler.consume({ ...start, payload: { modelId: "m", requestId: "r" } } as MessageDelta);
    const all = deltas(make);
    for (const delta of all.slice(0, -1)) assembler.consume(delta);
    const error = thrown(() => assembler.consume(all.at(-1) as MessageDelta)) as StreamProtocolError;
    expect([error.rule, error.limit]).toEqual(["stream/limit-exceeded", name]);
  });

  test("count code points of ids, and bytes of text", () => {
    const make = new Deltas();
    const assembler = new MessageAssembler({ limits: { idChars: 8, textBytes: 4 } });
    for (const delta of [make.start(), make.call("😀".repeat(8)), make.text("😀")]) assembler.consume(delta);
    expect(ruleOf(() => assembler.consume(make.call("😀".repeat(9))))).toBe("stream/limit-exceeded");
    expect(ruleOf(() => assembler.consume(make.text("a")))).toBe("stream/limit-exceeded");
  });

  test("are counts", () => {
    expect(ruleOf(() => new MessageAssembler({ limits: { parts: 0 } }))).toBe("usage/invalid-argument");
    expect(ruleOf(() => new MessageAssembler({ limits: { argumentsDepth: 501 } }))).toBe("usage/invalid-argument");
    expect(ruleOf(() => new MessageAssembler({ runId: "" }))).toBe("usage/invalid-argument");
  });
});

test("an Unknown counts, its content does not", () => {
  const make = new Deltas();
  const assembler = fed(make.start(), make.text("a"));
  assembler.consume(new Unknown("kind", "audio", { runId: "run_1", seq: 5, kind: "audio", payload: {} }));
  expect(assembler.lastSeq).toBe(5);
  expect(assembler.findings.map(({ rule, severity }) => [rule, severity])).toEqual([
    ["stream/unknown-delta-kind", "warning"],
  ]);
});

test("a snapshot never changes, however much comes after it", () => {
  const steps = fc.array(fc.constantFrom("text", "thinking", "call", "args", "end", "usage"), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (names) => {
      const make = new Deltas();
      const assembler = fed(make.start());
      const taken: [string, ReturnType<MessageAssembler["snapshot"]>][] = [];
      let calls = 0;
      for (const name of names) {
        const id = `c${calls}`;
        const isOpen = calls > 0 && assembler.toolCallsBuffer.get(id)?.closed === false;
        if (name === "text" || name === "thinking") assembler.consume(make[name]("piece "));
        else if (name === "usage") assembler.consume(make.usage(1));
        else if (name === "call") assembler.consume(make.call(`c${++calls}`));
        else if (isOpen) assembler.consume(name === "args" ? make.args(id, '{"a":1}') : make.end(id));
        taken.push([JSON.stringify(assembler.snapshot()), assembler.snapshot()]);
      }
      for (const [text, snapshot] of taken) expect(JSON.stringify(snapshot)).toBe(text);
    }),
  );
});

test("progress shows open calls while they arrive", () => {
  const make = new Deltas();
  const assembler = fed(make.start(), make.call("c1", "weather"), make.args("c1", '{"city":"Os'));
  const early = assembler.progress().openCalls[0];
  assembler.consume(make.args("c1", 'lo","n":12'));
  assembler.consume(make.usage(2));
  const { openCalls, usage } = assembler.progress();
  expect(openCalls.map((call) => call.toJSON())).toEqual([
    { toolCallId: "c1", toolName: "weather", rawArgsText: '{"city":"Oslo","n":12', partialArguments: { city: "Oslo" } },
  ]);
  expect(usage).toEqual({ inputTokens: 2, outputTokens: 2, totalTokens: 4 });
  assembler.consume(make.args("c1", "}"));
  assembler.consume(make.end("c1"));
  expect(early?.partialArguments).toEqual({ city: "Os" });
  expect(assembler.progress().openCalls).toEqual([]);
  expect(() => Object.assign(early?.partialArguments ?? {}, { city: "x" })).toThrow(TypeError);
});

test("opaque data belongs to its part and ends it", () => {
  const make = new Deltas();
  const opaque = { provider: "p", data: { sig: "x" } };
  const assembler = fed(
    make.start(),
    make.thinking("a"),
    make.make("thinking", { textDelta: "", opaque }),
    make.thinking("b"),
  );
  expect(assembler.parts).toEqual([
    { kind: "thinking", payload: { text: "a", opaque } },
    { kind: "thinking", payload: { text: "b" } },
  ]);
});

test("arguments on the way are shown as deep as they may be, and a refusal tells its place", () => {
  const make = new Deltas();
  const assembler = new MessageAssembler({ limits: { argumentsDepth: 2 } });
  for (const delta of [make.start(), make.call("c"), make.args("c", '{"a":[1],"b":[[2]],"c":3')]) {
    assembler.consume(delta);
  }
  expect(assembler.progress().openCalls[0]?.partialArguments).toEqual({ a: [1], b: [] });
  const error = thrown(() => assembler.consume({ ...make.end("c"), runId: "run_2" })) as StreamProtocolError;
  expect(error.findings[0]).toMatchObject({ rule: "stream/run-id-mismatch", pointer: "/runId" });
});

// --- what comes whole ------------------------------------------------------------------------------

const made = (kind: string, seq: number, payload: unknown): MessageDelta =>
  ({ runId: "run_1", seq, kind, payload, timestamp: "2026-01-02T03:04:06Z" }) as unknown as MessageDelta;

function begun(...deltas: [string, unknown][]): MessageAssembler {
  const assembler = new MessageAssembler();
  const rows: [string, unknown][] = [["start", { modelId: "m", requestId: "r" }], ...deltas];
  for (const [seq, [kind, payload]] of rows.entries()) assembler.consume(made(kind, seq, payload));
  return assembler;
}

test.each([
  ["text_citation", { citation: { source: { kind: "url" }, start: 2, end: 1 } }, "/payload/citation/end"],
  ["media_data", { mediaId: "m", data: "?" }, "/payload/data"],
  ["warning", { code: "" }, "/payload/code"],
  ["warning", null, "/payload"],
  ["server_tool_result", { toolCallId: "a", isError: false, content: { a: Number.NaN } }, "/payload/content/a"],
  ["approval_request", { approvalId: "a", toolCallId: "b", requestedAt: "now" }, "/payload/requestedAt"],
])("what an application makes is checked whole: %s, %o", (kind, payload, pointer) => {
  const assembler = begun(["text", { textDelta: "a" }]);
  const before = JSON.stringify(assembler.progress());
  const error = thrown(() => assembler.consume(made(kind, 9, payload)));
  expect(error).toMatchObject({ rule: "stream/invalid-delta", seq: 9, findings: [{ pointer }] });
  expect(JSON.stringify(assembler.progress())).toBe(before);
});

test("nothing is shared with deltas and messages, and calls of the server are not among those to run", () => {
  const citation = { source: { kind: "url" }, opaque: { provider: "p", data: { a: [1] } } };
  const assembler = begun(
    ["text", { textDelta: "a" }],
    ["text_citation", { citation }],
    ["server_tool_call_start", { toolCallId: "s", toolName: "search" }],
    ["tool_call_start", { toolCallId: "a", toolName: "look" }],
  );
  citation.opaque.data.a.push(2);
  const taken = assembler.snapshot();
  const kept = { ...citation, opaque: { provider: "p", data: { a: [1] } } };
  const parts = [{ kind: "text", payload: { text: "a", citations: [kept] } }];
  expect(assembler.snapshot().parts).toEqual(parts);
  (assembler.buildPartial().parts[0] as { payload: { citations: unknown[] } }).payload.citations.pop();
  expect(taken.parts).toEqual(parts);
  expect([...assembler.toolCallsBuffer.keys()]).toEqual(["a"]);
  expect(assembler.progress().openCalls.map((call) => call.isServer)).toEqual([true, false]);
});

test("media and values that are shown stay as they were, in whatever order they are read", () => {
  const assembler = new MessageAssembler();
  assembler.consume(made("start", 0, { modelId: "m", requestId: "r", format: {} }));
  const seen = [
    ["media_start", { mediaId: "m", mimeType: "audio/wav" }],
    ["media_data", { mediaId: "m", dataDelta: "QQ==" }],
    ["text", { textDelta: '{"a":[1' }],
    ["media_data", { mediaId: "m", data: "QkI=", transcriptDelta: "x" }],
    ["text", { textDelta: ",2]} ." }],
  ].map(([kind, payload], index) => {
    assembler.consume(made(kind as string, index + 1, payload));
    return assembler.progress();
  });
  expect(seen.map((each) => each.openMedia?.map(({ data, transcript }) => data + transcript))).toEqual([
    [""],
    ["QQ=="],
    ["QQ=="],
    ["QkI=x"],
    ["QkI=x"],
  ]);
  const values = seen.slice(2).map((each) => each.partialValues?.[0]);
  expect(values[2]?.partialValue).toBeUndefined();
  expect(values[0]?.partialValue).toEqual({ a: [] });
  expect(JSON.stringify(values)).toBe(
    '[{"partIndex":1,"partialValue":{"a":[]}},{"partIndex":1,"partialValue":{"a":[]}},{"partIndex":1}]',
  );
});

test("a blank line counts and is passed over", () => {
  const make = new Deltas();
  const [start, done] = [make.start(), make.done()].map((each) => JSON.stringify(each)) as [string, string];
  expect(assemble([start, "", " \t\r\n", new Uint8Array(), done]).meta?.finishReason).toBe("stop");
  expect(thrown(() => assemble([start, "", "x"]))).toMatchObject({ findings: [{ line: 3 }] });
});

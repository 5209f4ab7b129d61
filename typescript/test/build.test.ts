/** Builders: whatever they return is valid, and what would not be is refused with the contract's findings. */
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  adapt,
  approvalRequest,
  approvalResponse,
  assembleAsync,
  assistant,
  checkHistory,
  type JsonObject,
  media,
  type message,
  newId,
  now,
  serverToolCall,
  serverToolResult,
  system,
  text,
  tool,
  toolCall,
  toolResult,
  UsageError,
  user,
  validate,
} from "../src/index.js";
import { ruleOf, thrown } from "./deltas.js";

const TIME = "2026-01-02T03:04:05Z";
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("a message needs its text alone", () => {
  const made = user("Hi");
  expect(made).toEqual({
    runId: expect.stringMatching(/^run_/) as string,
    role: "user",
    parts: [{ kind: "text", payload: { text: "Hi" } }],
    timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
  });
  expect(made.runId.slice(4)).toMatch(UUID7);
  expect(user("Hi").runId).not.toBe(made.runId);
  expect(Math.abs(Date.parse(made.timestamp) - Date.now())).toBeLessThan(60_000);
});

test("what is given is taken, and what is undefined is made", () => {
  const fields = { runId: "r", timestamp: TIME, messageId: "m", turnId: "t", meta: { free: [1] } };
  expect(system("Be brief.", fields)).toEqual({
    ...fields,
    role: "system",
    parts: [{ kind: "text", payload: { text: "Be brief." } }],
  });
  const made = user("Hi", { runId: undefined, timestamp: undefined, messageId: undefined, meta: undefined });
  expect(Object.keys(made)).toEqual(["runId", "role", "parts", "timestamp"]);
});

test("a turn with a tool is a history without findings", () => {
  const question = user("How warm is it in Oslo?");
  const call = toolCall("weather", { city: "Oslo" });
  const calls = assistant(["Let me see.", call], { runId: question.runId });
  const results = tool(toolResult(call, "4 °C"), { runId: question.runId });
  const answer = assistant("4 °C.", { runId: question.runId });
  expect(checkHistory([question, calls, results, answer])).toEqual([]);
  expect(results.parts).toEqual([
    { kind: "tool_result", payload: { toolCallId: call.payload.toolCallId, isError: false, content: "4 °C" } },
  ]);
});

describe("a result", () => {
  const call = toolCall("find", {}, { toolCallId: "call_1" });

  test("is of a part, its payload, a ToolCall or an id", () => {
    const { payload } = call;
    const alone: message.ToolCall = { toolCallId: "call_1", toolName: "find", arguments: {} };
    for (const given of [call, payload, alone, "call_1"]) {
      expect(toolResult(given, "a", { isError: true }).payload).toEqual({
        toolCallId: "call_1",
        isError: true,
        content: "a",
      });
    }
    expect(ruleOf(() => toolResult({} as never, "a"))).toBe("usage/invalid-argument");
    expect(ruleOf(() => toolResult("", "a"))).toBe("shape/min-length");
  });

  test("holds text, an object, or texts and parts", () => {
    const image: message.ImagePart = { kind: "image", payload: { mimeType: "image/png", url: "https://example.com" } };
    expect(toolResult(call, { kind: "text" }).payload.content).toEqual({ kind: "text" });
    expect(toolResult(call, ["a", image]).payload.content).toEqual([text("a"), image]);
    expect(ruleOf(() => toolResult(call, 4 as never))).toBe("usage/invalid-argument");
    expect(ruleOf(() => toolResult(call, [call] as never))).toBe("shape/unknown-variant");
  });
});

describe("what would not be valid", () => {
  test("is refused with the contract's findings", () => {
    const error = thrown(() => user(toolCall("find") as never)) as UsageError;
    expect(error).toBeInstanceOf(UsageError);
    expect(error.findings.map(({ rule, pointer }) => [rule, pointer])).toEqual([
      ["message/role-part-kind", "/parts/0/kind"],
    ]);
    expect(ruleOf(() => user("Hi", { timestamp: "today" }))).toBe("shape/pattern");
    expect(ruleOf(() => text("\ud800"))).toBe("document/lone-surrogate");
    expect(ruleOf(() => toolCall(""))).toBe("shape/min-length");
    expect(ruleOf(() => user(4 as never))).toBe("usage/invalid-argument");
  });

  test("is a member that no message has", () => {
    const error = thrown(() => user("Hi", { run_id: "r" } as never)) as UsageError;
    expect(error.message).toBe(
      'A builder takes no such member; expected runId, timestamp, messageId, turnId, author, meta; actual "run_id" [usage/invalid-argument]',
    );
    expect(ruleOf(() => user("Hi", "r" as never))).toBe("usage/invalid-argument");
  });

  test("is results without the run of their calls", () => {
    expect(ruleOf(() => (tool as (results: message.ToolResultPart) => unknown)(toolResult("a", "b")))).toBe(
      "usage/invalid-argument",
    );
  });
});

test("types tell which parts a role may hold", () => {
  expectTypeOf(user("Hi")).toEqualTypeOf<message.Message>();
  expectTypeOf(toolResult("a", "b")).toEqualTypeOf<message.ToolResultPart>();
  // @ts-expect-error a user calls no tools
  expect(ruleOf(() => user(toolCall("find")))).toBe("message/role-part-kind");
  // @ts-expect-error the run of the calls has to be said
  expect(ruleOf(() => tool(toolResult("a", "b"), {}))).toBe("usage/invalid-argument");
});

test("ids sort in the order of their making", () => {
  const ids = Array.from({ length: 100 }, () => newId("call"));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(100);
  expect(newId()).toMatch(UUID7);
});

test("deltas of a provider have a run and times by default", async () => {
  const sse =
    'data: {"id":"a","model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
  const bytes = new TextEncoder().encode(`${sse}data: [DONE]\n\n`);
  const made = await assembleAsync(adapt("openai-chat", bytes));
  expect(made.parts).toEqual([text("Hi")]);
  expect(made.runId).toMatch(/^run_/);
  expect(validate(made, "message.Message")).toEqual([]);
  const given = await assembleAsync(adapt("openai-chat", [bytes], { runId: "r", clock: () => TIME }));
  expect([given.runId, given.timestamp]).toEqual(["r", TIME]);
});

describe("whatever is built is valid", () => {
  const words = fc.string({ unit: "grapheme" });
  const id = fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), { nil: undefined });
  const object = fc.dictionary(words, fc.jsonValue({ maxDepth: 2 })) as fc.Arbitrary<JsonObject>;
  const fields = fc.record({
    runId: id,
    messageId: id,
    turnId: id,
    timestamp: fc.option(fc.constant(now()), { nil: undefined }),
  });
  const media = fc.oneof(
    fc.record({
      kind: fc.constant("image" as const),
      payload: fc.record({ mimeType: fc.constant("image/png"), url: fc.webUrl() }),
    }),
    fc.record({
      kind: fc.constant("file_ref" as const),
      payload: fc.record({ path: fc.string({ unit: "grapheme", minLength: 1 }) }),
    }),
  );
  const name = fc.string({ unit: "grapheme", minLength: 1 });

  const parts = fc.array(fc.oneof(words, words.map(text), media), { maxLength: 4 });
  const call = fc.tuple(name, object).map(([toolName, args]) => toolCall(toolName, args));

  test("messages of users, systems and assistants", () => {
    fc.assert(
      fc.property(parts, fields, fc.array(call, { maxLength: 3 }), words, (content, given, calls, said) => {
        for (const made of [user(content, given), assistant([...content, ...calls], given), system(said, given)]) {
          expect(validate(made, "message.Message")).toEqual([]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("results", () => {
    fc.assert(
      fc.property(call, fc.oneof(words, object, parts), fc.boolean(), (made, content, isError) => {
        const results = tool(toolResult(made, content, { isError }), { runId: "r" });
        expect(validate(results, "message.Message")).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

test("an error says which class a value has that is not JSON", () => {
  const wrong = { timestamp: new Date() } as unknown as { timestamp: string };
  expect(() => user("Hi", wrong)).toThrow(
    "JavaScript's Date is not a JSON value at /timestamp; expected a JSON value [shape/type]",
  );
});

// --- authors, approvals, calls of the provider, media ---------------------------------------------

describe("what is new in v0.3", () => {
  const call = toolCall("rm", { path: "/tmp/a" }, { toolCallId: "call_1" });
  const asked = approvalRequest(call, {
    approvalId: "apr_1",
    reason: "It deletes files.",
    choices: ["once", { id: "always", decision: "approved" }],
  });

  test("a message has an author where one is given", async () => {
    expect(user("Hi", { author: "Ada" }).author).toEqual({ name: "Ada" });
    expect(user("Hi", { author: { agentPath: ["planner"] } }).author).toEqual({ agentPath: ["planner"] });
    expect(user("Hi")).not.toHaveProperty("author");
    for (const author of ["", {}, { agentPath: [] }, { nmae: "Ada" }] as never[]) {
      const refused = "No such author; expected a name, or an Author: name or agentPath (the names on the way to it)";
      expect(() => user("Hi", { author })).toThrow(refused);
      await expect(adapt("gemini", [], { author }).next()).rejects.toThrow(refused);
    }
  });

  test("text has citations and a form", () => {
    const citation = { start: 0, end: 2, source: { kind: "url", url: "https://example.com" } };
    const made = text("Hi", { citations: [citation], format: { name: "recipe" } });
    expect(made.payload).toEqual({ text: "Hi", citations: [citation], format: { name: "recipe" } });
    expect(ruleOf(() => text("Hi", { citations: [{ ...citation, end: 0, start: 1 }] }))).toBe("message/citation-range");
    expect(() => text("Hi", { format: { schema_ref: "a" } as never })).toThrow("No such format");
  });

  test("what would be left out is refused", () => {
    const citation = { source: { kind: "url", url: "https://example.com" }, quoted_text: "Hi" } as never;
    expect(() => text("Hi", { citations: [citation] })).toThrow(
      "names no such member at /payload/citations/0/quoted_text",
    );
    const part = { kind: "text", payload: { text: "a", citation: [] } } as never;
    expect(ruleOf(() => user([part]))).toBe("shape/unknown-member");
    expect(ruleOf(() => media("a/b", { data: new Uint8Array() }))).toBe("usage/invalid-argument");
  });

  test("an outcome says whether the tool failed, and a result is data as well", () => {
    expect(toolResult(call, "x", { outcome: "denied" }).payload.isError).toBe(true);
    expect(toolResult(call, "x", { outcome: "denied", isError: false }).payload.isError).toBe(false);
    expect(toolResult(call, "x", { outcome: "partial" }).payload.isError).toBe(false);
    for (const structured of [[4, null], false, 0, "", {}]) {
      expect(toolResult(call, "x", { structured }).payload.structured).toEqual(structured);
    }
    expect(toolResult(call, "x", { structured: undefined }).payload).not.toHaveProperty("structured");
  });

  test("a call of the provider and its result are the assistant's", () => {
    const search = serverToolCall("web_search", { query: "Oslo" });
    const result = serverToolResult(search, "Rain", { structured: ["Rain"] });
    expect(search.payload.toolCallId).toMatch(/^srv_/);
    expect(checkHistory([assistant([search, result, "Rain."])])).toEqual([]);
    expect(ruleOf(() => toolResult(search as never, "x"))).toBe("usage/invalid-argument");
    expect(ruleOf(() => serverToolResult(call as never, "x"))).toBe("usage/invalid-argument");
  });

  test("a call waits, is approved and answered", () => {
    const answer = approvalResponse(asked, "approved", { choice: "once", arguments: { path: "/tmp/b" } });
    expect(answer.payload).toMatchObject({ approvalId: "apr_1", toolCallId: "call_1", decision: "approved" });
    expect(approvalResponse(asked.payload, "denied").payload.decision).toBe("denied");
    const question = assistant([call, asked]);
    const { runId } = question;
    const history = [question, user(answer, { runId }), tool(toolResult(call, "ok"), { runId })];
    expect(checkHistory(history)).toEqual([]);
    for (const wrong of ["apr_1", call, {}]) {
      expect(ruleOf(() => approvalResponse(wrong as never, "approved"))).toBe("usage/invalid-argument");
    }
  });

  test("media is in one place", () => {
    const made = media("audio/wav", { data: new TextEncoder().encode("RIFF"), transcript: "Hi" });
    const source = { kind: "inline", data: "UklGRg==" };
    expect(made.payload).toEqual({ mimeType: "audio/wav", source, transcript: "Hi" });
    expect(media("a/b", { ref: "r" }).payload.source).toEqual({ kind: "ref", ref: "r" });
    for (const wrong of [{}, { ref: "r", url: "u" }, { data: "text" as never }]) {
      expect(ruleOf(() => media("a/b", wrong))).toBe("usage/invalid-argument");
    }
  });
});

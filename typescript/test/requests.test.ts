/** Request bodies: as they are asked for, and what a provider's state has to bear that no adapter wrote. */
import { describe, expect, expectTypeOf, test } from "vitest";
import { decodeJson, type message, ReadError, stringify, UsageError } from "../src/index.js";
import {
  bedrockArguments,
  ENCODERS,
  type EncodedRequest,
  encodeRequest,
  encodeRequestText,
} from "../src/providers/requests.js";
import { ruleOf, thrown } from "./deltas.js";

const HEAD = { runId: "run_1", timestamp: "2026-01-02T03:04:05Z" };
const CONFIG: message.ModelConfig = { modelId: "m" };
const TOOL: message.ToolSpec = { name: "find", description: "Finds.", parameterSchema: { properties: {} } };
const DIALECTS = [...ENCODERS.keys()];

const said = (role: message.Role, ...parts: message.MessagePart[]): message.Message => ({ ...HEAD, role, parts });
const text = (value: string, items?: unknown[], provider = "openai-chat"): message.TextPart => ({
  kind: "text",
  payload: { text: value, ...(items === undefined ? {} : { opaque: opaque(items, provider) }) },
});
const opaque = (items: unknown[], provider: string): message.Opaque => ({
  provider,
  data: { items } as message.JsonObject,
});
const call = (toolCallId: string, toolName = "find", more = {}): message.ToolCallPart => ({
  kind: "tool_call",
  payload: { toolCallId, toolName, arguments: { q: 1 }, ...more },
});
const result = (toolCallId: string, content: message.ToolResultContent = "ok"): message.ToolResultPart => ({
  kind: "tool_result",
  payload: { toolCallId, isError: false, content },
});
const image = (payload: message.ImagePayload): message.ImagePart => ({ kind: "image", payload });
const file = (path: string, mimeType?: string): message.FileRefPart => ({
  kind: "file_ref",
  payload: { path, ...(mimeType === undefined ? {} : { mimeType }) },
});

const rules = ({ findings }: EncodedRequest): string[] => findings.map(({ rule, pointer }) => `${rule} ${pointer}`);
const encode = (dialect: string, messages: readonly message.Message[], config: object = {}): EncodedRequest =>
  encodeRequest(dialect, messages, { config: { ...CONFIG, ...config } });

describe("a request", () => {
  test("is the body, and what it could not say", () => {
    const history = [said("user", text("Where?")), said("assistant", call("a")), said("tool", result("a"))];
    const encoded = encodeRequest("openai-chat", history, {
      config: { modelId: "gpt", stopSequences: ["1", "2", "3", "4", "5"] },
      toolSpecs: [TOOL],
      systemPrompt: "Be brief.",
    });
    expectTypeOf(encoded).toEqualTypeOf<EncodedRequest>();
    expect(encoded.body).toEqual({
      model: "gpt",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Where?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "find", arguments: '{"q":1}' } }],
        },
        { role: "tool", tool_call_id: "a", content: "ok" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "find", parameters: { type: "object", properties: {} }, description: "Finds." },
        },
      ],
      stop: ["1", "2", "3", "4"],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(encoded.findings).toEqual([
      {
        rule: "encode/unsupported-config",
        message: "The provider's format cannot say this value; it is left out",
        pointer: "/config/stopSequences/4",
        severity: "warning",
        expected: "at most 4 stop sequences",
        actual: '"5"',
      },
    ]);
  });

  test.each(DIALECTS)("leaves what it is given as it is: %s", (dialect) => {
    const history = [said("user", text("Hi")), said("assistant", call("a")), said("tool", result("a", { deep: [1] }))];
    const options = {
      config: { ...CONFIG, cacheConfig: { strategy: "auto" }, extra: { deep: [1] } },
      toolSpecs: [TOOL],
    };
    const before = JSON.stringify([history, options]);
    const { body } = encodeRequest(dialect, history, options as Parameters<typeof encodeRequest>[2]);
    expect(body["extra"]).toEqual({ deep: [1] });
    (body["extra"] as { deep: number[] }).deep.push(2);
    expect(JSON.stringify([history, options])).toBe(before);
  });

  test("points into the request where it is refused", () => {
    const bad = { ...said("user"), role: "pope" } as unknown as message.Message;
    expect(thrown(() => encode("gemini", [said("user"), bad]))).toMatchObject({
      findings: [{ pointer: "/messages/1/role" }],
    });
    const options = { config: CONFIG, systemPrompt: "\ud800" };
    expect(thrown(() => encodeRequest("gemini", [], options))).toBeInstanceOf(ReadError);
    expect(thrown(() => encodeRequest("gemini", [], options))).toMatchObject({
      findings: [{ rule: "document/lone-surrogate", pointer: "/systemPrompt" }],
    });
    const odd = { config: CONFIG, toolSpecs: {} as message.ToolSpec[] };
    expect(thrown(() => encodeRequest("gemini", [], odd))).toBeInstanceOf(UsageError);
    expect(ruleOf(() => encode("morse", []))).toBe("usage/unknown-dialect");
    expect(ruleOf(() => encode("constructor", []))).toBe("usage/unknown-dialect");
  });

  test("takes a newer peer's parts for what they are", () => {
    const newer = { kind: "hologram", payload: {} } as unknown as message.MessagePart;
    const encoded = encode("openai-chat", [said("user", text("Hi"), newer)]);
    expect(rules(encoded)).toEqual([
      "read/unknown-variant /messages/0/parts/1/kind",
      "encode/unsupported-part /messages/0/parts/1",
    ]);
  });

  test("joins what the configuration's extensions say, names like __proto__ among them", () => {
    const config = JSON.parse('{"modelId":"m","model":"x","toolConfig":{"tools":[1]},"__proto__":{"a":1}}') as object;
    const encoded = encodeRequest("bedrock-converse", [], { config: config as message.ModelConfig, toolSpecs: [TOOL] });
    expect(Object.keys(encoded.body)).toContain("__proto__");
    expect(Object.getPrototypeOf(encoded.body)).toBe(Object.prototype);
    const { tools } = encoded.body["toolConfig"] as { tools: unknown[] };
    expect(tools).toHaveLength(2);
    const chosen = encode("bedrock-converse", [], { toolConfig: { tools: [1] }, toolChoice: "auto" });
    expect(chosen.body["toolConfig"]).toEqual({ tools: [1], toolChoice: { auto: {} } });
    const named = { toolConfig: { toolChoice: { auto: {} } }, tools: [], toolChoice: { toolName: "x" } };
    expect(encode("bedrock-converse", [], named).body["toolConfig"]).toEqual({
      tools: [],
      toolChoice: { tool: { name: "x" } },
    });
    const conflict = encode("openai-chat", [], { model: "x", temperature: 1, stream: false });
    expect(conflict.body).toMatchObject({ model: "m", stream: false });
    expect(rules(conflict)).toEqual(["encode/config-conflict /config/model"]);
    // true is 1 to many a reader.
    expect(rules(encode("openai-chat", [], { maxTokens: 1, max_completion_tokens: true }))).toEqual([]);
  });
});

describe("state of a provider", () => {
  const cut = (items: unknown[], value = "a😀b"): EncodedRequest =>
    encode("openai-chat", [said("assistant", text(value, items))]);

  test("counts characters, not halves of them", () => {
    const { body } = cut([{ kind: "refusal", data: null, start: 1, end: 2 }]);
    expect(body["messages"]).toEqual([{ role: "assistant", content: "ab", refusal: "😀" }]);
  });

  test.each([
    [{ kind: "refusal", data: null, start: 1, end: 4 }],
    [{ kind: "refusal", data: null, start: 2, end: 1 }],
    [{ kind: "refusal", data: null, start: 0 }],
    [{ kind: "refusal", data: null, start: true, end: 1 }],
    [{ kind: "refusal", data: null, partOffset: null }],
    [{ kind: "refusal", data: null, partOffset: 5 }],
    [{ kind: "refusal", data: null, partOffset: -1 }],
    [{ kind: "refusal" }],
    [{ kind: "", data: 1 }],
    ["refusal"],
    [null],
  ])("that no adapter wrote is left out: %j", (item) => {
    expect(rules(cut([item]))).toEqual(["encode/malformed-state /messages/0/parts/0/payload/opaque/data/items/0"]);
  });

  test("of another dialect, or of nobody, is left out", () => {
    const foreign = said("assistant", text("Hi", [], "gemini"));
    expect(rules(encode("openai-chat", [foreign, said("user", text("Hi", []))]))).toEqual([
      "encode/foreign-state /messages/0/parts/0/payload/opaque",
      "encode/malformed-state /messages/1/parts/0/payload/opaque",
    ]);
  });

  test("in meta counts for what the parts say nothing of", () => {
    const parts = { "0": [{ kind: "refusal", data: null }], "01": [], "7": [], a: 1 };
    const meta = { opaque: { dialect: "openai-chat", parts, toolCallIds: { a: 5, b: null } } };
    const message = { ...said("assistant", text("No.")), meta } as unknown as message.Message;
    const encoded = encode("openai-chat", [message]);
    expect(encoded.body["messages"]).toEqual([{ role: "assistant", content: null, refusal: "No." }]);
    const place = "/messages/0/meta/opaque";
    expect(rules(encoded).sort()).toEqual([
      `encode/malformed-state ${place}/parts/01`,
      `encode/malformed-state ${place}/parts/7`,
      `encode/malformed-state ${place}/parts/a`,
      `encode/malformed-state ${place}/toolCallIds/a`,
    ]);
  });

  test("in great number, over a long text, takes no longer than it is long", () => {
    const items = Array.from({ length: 20_000 }, (_, at) => ({ kind: "citation", data: {}, start: at, end: at + 1 }));
    const { body } = encode("anthropic-messages", [
      said("assistant", text("😀".repeat(20_000), items, "anthropic-messages")),
    ]);
    const [first] = body["messages"] as { content: unknown[] }[];
    expect(first?.content).toHaveLength(20_000);
  });
});

describe("calls and results", () => {
  test("go together under an id that the provider takes", () => {
    const history = [said("assistant", call("ä b"), call("c".repeat(99))), said("tool", result("ä b"))];
    const { body, findings } = encode("anthropic-messages", history);
    const [first, second] = body["messages"] as { content: { id?: string; tool_use_id?: string }[] }[];
    expect(first?.content[0]?.id).toBe(second?.content[0]?.tool_use_id);
    expect(first?.content[0]?.id).toMatch(/^b_[0-9a-f]{8}$/);
    expect(first?.content[1]?.id).toMatch(/^c{55}_[0-9a-f]{8}$/);
    expect(findings.map(({ rule }) => rule)).toContain("encode/renamed-tool-call");
  });

  test("are together, whatever came in between", () => {
    const history = [said("assistant", call("a")), said("user", text("?")), said("tool", result("a"), result("b"))];
    const encoded = encode("openai-chat", history);
    expect((encoded.body["messages"] as { role: string }[]).map(({ role }) => role)).toEqual([
      "assistant",
      "tool",
      "user",
      "tool",
    ]);
    expect(rules(encoded)).toEqual([
      "encode/moved-tool-result /messages/2/parts/0",
      "encode/orphan-tool-result /messages/2/parts/1/payload/toolCallId",
    ]);
  });

  test.each([
    ['{"a": 12345678901234567890}', true],
    ['{"a": "\\ud83d\\ude00"}', true],
    ['{"a": "\\ud800"}', false],
    ['{"a": 1e999}', false],
    ['{"a": NaN}', false],
    ["[1]", false],
    [`${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`, false],
  ])("argument text is an object, or lost where only an object goes: %s", (rawArgsText, isObject) => {
    const history = [said("assistant", call("a", "find", { arguments: {}, rawArgsText }))];
    const lost = rules(encode("gemini", history)).filter((each) => each.startsWith("encode/arguments-lost"));
    expect(lost).toHaveLength(isObject ? 0 : 1);
    const { body } = encode("openai-chat", history);
    expect(JSON.stringify(body)).toContain(JSON.stringify(rawArgsText));
  });
});

describe("a request as text", () => {
  const raw = '{"n": 12345678901234567890, "q": {"a": [9007199254740993]}}';
  const history = [said("assistant", call("a", "find", { rawArgsText: raw }), call("b")), said("tool", result("a"))];

  test.each(DIALECTS)("of %s has integers as they were written", (dialect) => {
    const { text, findings } = encodeRequestText(dialect, history, { config: { ...CONFIG, maxTokens: 9 } });
    const { body, findings: all } = encode(dialect, history, { maxTokens: 9 });
    expect(JSON.parse(text)).toEqual(body);
    const isObject = ["anthropic-messages", "bedrock-converse", "gemini"].includes(dialect);
    expect(text).toContain(isObject ? raw : JSON.stringify(raw));
    expect(all.length - findings.length).toBe(isObject ? 1 : 0);
    expect(findings.map(({ rule }) => rule)).not.toContain("encode/wide-integer");
  });

  test.each(["anthropic-messages", "bedrock-converse", "gemini"])(
    "of %s has integers of arguments that a document brought without their text",
    (dialect) => {
      const wide = '{"n":12345678901234567890,"list":[1,[9007199254740993]]}';
      const written = JSON.stringify([said("assistant", call("a")), said("tool", result("a"))]);
      const messages = decodeJson(written.replace('{"q":1}', wide)) as unknown as message.Message[];
      const { text } = encodeRequestText(dialect, messages, { config: { ...CONFIG, maxTokens: 9 } });
      expect(text).toContain(wide);
    },
  );

  test("is that of the body while nobody changes the body", () => {
    const { body } = encode("anthropic-messages", history, { maxTokens: 9 });
    expect(stringify(body)).toContain(raw);
    const [turn] = body["messages"] as { content: { input: Record<string, unknown> }[] }[];
    (turn?.content[0]?.input ?? {})["n"] = 1;
    expect(stringify(body)).toContain('{"n":1,');
  });

  test("of plain arguments is the body's", () => {
    const plain = [said("assistant", call("a", "find", { rawArgsText: '{ "q": 1 }' }))];
    const { text, findings } = encodeRequestText("gemini", plain, { config: CONFIG });
    const encoded = encode("gemini", plain);
    expect(text).toBe(JSON.stringify(encoded.body));
    expect(findings).toEqual(encoded.findings);
  });
});

describe("the same again and again", () => {
  test("costs no square: ids, names of documents, thinking that came in pieces", () => {
    const count = 3000;
    const turns = Array.from({ length: count }, () => [said("assistant", call("a")), said("tool", result("a"))]);
    const ids = encode("bedrock-converse", turns.flat()).findings.filter(({ rule }) => rule.includes("renamed"));
    expect(ids).toHaveLength(count - 1);
    const files = Array.from({ length: count }, () => file("s3://abcd/x", "application/pdf"));
    const documents = JSON.stringify(encode("bedrock-converse", [said("user", ...files)]).body);
    expect(documents).toContain(`"document ${count}"`);
  }, 60_000);
});

describe("media", () => {
  const imageOf = (path: string, mimeType?: string): unknown => {
    const { body } = encode("openai-chat", [said("user", file(path, mimeType))]);
    const [first] = body["messages"] as { content: { image_url?: { url: string } }[] }[];
    return first?.content[0]?.image_url?.url;
  };

  test("goes by URL, or inline as a data URL says", () => {
    expect(imageOf("HTTPS://example.org/a.png", "image/png; q=1")).toBe("HTTPS://example.org/a.png");
    expect(imageOf("data:IMAGE/PNG;name=a%20b.png;Base64,YQ%3D%3D")).toBe("data:image/png;base64,YQ==");
    expect(imageOf("data:image/png,%00%zz")).toBe("data:image/png;base64,ACV6eg==");
    expect(imageOf("data:image/png;base64,Y Q = =")).toBe("data:image/png;base64,YQ==");
    expect(imageOf("https:///nowhere", "image/png")).toBeUndefined();
    expect(imageOf("data:image/png;base64,YQ=")).toBeUndefined();
    expect(imageOf("data:image/png;base64,Y!Q=")).toBeUndefined();
  });

  test("has its own name in Converse, and bytes where AWS's client wants them", () => {
    const pdf = "data:application/pdf;name=a%5Fb.pdf;base64,YWI=";
    const { body } = encode("bedrock-converse", [said("user", text("Read."), file(pdf), file(pdf))]);
    const content = (made: Record<string, unknown>): unknown[] =>
      (made["messages"] as { content: [] }[])[0]?.content ?? [];
    expect(content(body)[2]).toEqual({
      document: { format: "pdf", source: { bytes: "YWI=" }, name: "a b 2" },
    });
    expect(content(bedrockArguments(body))[1]).toEqual({
      document: { format: "pdf", source: { bytes: new Uint8Array([97, 98]) }, name: "a b" },
    });
    expect(content(body)[1]).toMatchObject({ document: { source: { bytes: "YWI=" } } });
  });

  test("that is not UTF-8 is not text, and an assistant's goes nowhere but to Gemini", () => {
    const latin = said("user", file("data:text/plain;base64,/w=="));
    expect(rules(encode("anthropic-messages", [latin]))).toContain("encode/unsupported-part /messages/0/parts/0");
    const painted = said("assistant", image({ mimeType: "image/png", data: "YQ==" }));
    for (const dialect of DIALECTS) {
      const isTaken = dialect === "gemini";
      expect([dialect, rules(encode(dialect, [painted])).length === 0]).toEqual([dialect, isTaken]);
    }
  });
});

test("a request without options is a usage error", () => {
  for (const options of [undefined, null, "gpt"]) {
    expect(ruleOf(() => encodeRequest("openai-chat", [], options as never))).toBe("usage/invalid-argument");
  }
});

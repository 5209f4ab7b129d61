import fc from "fast-check";
import { expect, test } from "vitest";
import { AnthropicMessagesAdapter } from "../src/providers/anthropic/stream.js";
import { decodeEvent } from "../src/providers/core/event-json.js";

/** Reads every event by the parser. */
class Parsing extends AnthropicMessagesAdapter {
  protected override decode(text: string): unknown {
    return decodeEvent(text);
  }
}

/** Returns what an adapter makes of a stream in which `piece` comes. */
function read(Adapter: typeof AnthropicMessagesAdapter, piece: string): unknown {
  const adapter = new Adapter("run_1", { clock: () => "2026-01-02T03:04:05Z" });
  const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  const deltas = [JSON.stringify(block), piece].flatMap((text) => adapter.feedText(text));
  return { deltas: [...deltas, ...adapter.close()], findings: adapter.findings, opaque: adapter.opaque };
}

test("a piece of Anthropic's is what its JSON says, in whatever way it is mistyped", () => {
  const pieces = [
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"4 °C"}   }',
    '{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"Hm"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","thinking":""}}',
  ];
  const more = fc.constantFrom("", '"', "\\", "\\n", "d800", " ", ",", "{", "}", "0", "1.0", "e5", "\ud800", "\n");
  fc.assert(
    fc.property(fc.constantFrom(...pieces), fc.nat(), fc.nat(2), more, (piece, place, gone, added) => {
      const at = place % (piece.length + 1);
      const text = piece.slice(0, at) + added + piece.slice(at + gone);
      expect(read(AnthropicMessagesAdapter, text)).toEqual(read(Parsing, text));
    }),
    { numRuns: 2000 },
  );
});

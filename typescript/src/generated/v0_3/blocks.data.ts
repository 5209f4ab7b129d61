// Generated from schemas/v0.3 (digest bf27134f877246ad) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

import type { FamilyData } from "../../contract/nodes.js";

export const data: FamilyData = {
  Message: {"t": "object", "m": [["role", {"t": "ref", "n": "Role"}, 1], ["content", {"t": "ref", "n": "MessageContent"}, 1]]},
  Role: {"t": "enum", "v": ["user", "assistant", "system"]},
  MessageContent: {"t": "choice", "m": [[["string"], {"t": "string"}], [["array"], {"t": "array", "i": {"t": "ref", "n": "ContentBlock"}}]]},
  ContentBlock: {"t": "union", "k": "type", "v": [["text", "TextBlock"], ["tool_use", "ToolUseBlock"], ["tool_result", "ToolResultBlock"], ["image", "ImageBlock"]]},
  TextBlock: {"t": "object", "m": [["type", {"t": "const", "v": "text"}, 1], ["text", {"t": "string"}, 1]]},
  ToolUseBlock: {"t": "object", "m": [["type", {"t": "const", "v": "tool_use"}, 1], ["tool_use_id", {"t": "string", "min": 1}, 1], ["tool_name", {"t": "string", "min": 1}, 1], ["parameters", {"t": "ref", "n": "JsonObject"}, 1]]},
  ToolResultBlock: {"t": "object", "m": [["type", {"t": "const", "v": "tool_result"}, 1], ["tool_use_id", {"t": "string", "min": 1}, 1], ["content", {"t": "ref", "n": "ToolResultBlockContent"}, 1], ["is_error", {"t": "boolean"}, 1]]},
  ToolResultBlockContent: {"t": "choice", "m": [[["string"], {"t": "string"}], [["array"], {"t": "array", "i": {"t": "ref", "n": "ToolResultContentBlock"}}]]},
  ToolResultContentBlock: {"t": "union", "k": "type", "v": [["text", "TextBlock"], ["image", "ImageBlock"]]},
  ImageBlock: {"t": "object", "m": [["type", {"t": "const", "v": "image"}, 1], ["image_type", {"t": "string", "min": 1}, 1], ["media_type", {"t": "string", "min": 1}, 1], ["data", {"t": "string", "min": 1}, 1]]},
  TokenUsage: {"t": "object", "m": [["input_tokens", {"t": "integer", "min": 0, "max": 9007199254740991}, 1], ["output_tokens", {"t": "integer", "min": 0, "max": 9007199254740991}, 1], ["total_tokens", {"t": "integer", "min": 0, "max": 9007199254740991}, 0]]},
  ModelResponse: {"t": "object", "m": [["content", {"t": "array", "i": {"t": "ref", "n": "ContentBlock"}}, 1], ["usage", {"t": "ref", "n": "TokenUsage"}, 1], ["model", {"t": "string"}, 0], ["stop_reason", {"t": "string", "min": 1}, 0]]},
  StreamChunk: {"t": "union", "k": "type", "v": [["content_block_start", "ContentBlockStartChunk"], ["content_block_delta", "ContentBlockDeltaChunk"], ["content_block_stop", "ContentBlockStopChunk"], ["tool_use", "ToolUseChunk"], ["message_stop", "MessageStopChunk"], ["error", "ErrorChunk"]]},
  ContentBlockStartChunk: {"t": "object", "m": [["type", {"t": "const", "v": "content_block_start"}, 1], ["index", {"t": "integer", "min": 0, "max": 9007199254740991}, 1]]},
  ContentBlockDeltaChunk: {"t": "object", "m": [["type", {"t": "const", "v": "content_block_delta"}, 1], ["index", {"t": "integer", "min": 0, "max": 9007199254740991}, 1], ["delta", {"t": "string"}, 1]]},
  ContentBlockStopChunk: {"t": "object", "m": [["type", {"t": "const", "v": "content_block_stop"}, 1], ["index", {"t": "integer", "min": 0, "max": 9007199254740991}, 1]]},
  ToolUseChunk: {"t": "object", "m": [["type", {"t": "const", "v": "tool_use"}, 1], ["tool_name", {"t": "string", "min": 1}, 1], ["tool_use_id", {"t": "string", "min": 1}, 1], ["parameters", {"t": "ref", "n": "JsonObject"}, 1]]},
  MessageStopChunk: {"t": "object", "m": [["type", {"t": "const", "v": "message_stop"}, 1], ["usage", {"t": "ref", "n": "TokenUsage"}, 1]]},
  ErrorChunk: {"t": "object", "m": [["type", {"t": "const", "v": "error"}, 1], ["message", {"t": "string"}, 1]]},
  JsonObject: {"t": "free"},
};

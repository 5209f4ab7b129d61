/**
 * The list of allowed tools in a prompt: JSON or YAML, from whoever wrote the prompt. A list that is
 * refused allows nothing: an error is never "all tools".
 */

import { clip, errorAt, ReadError, throwAny } from "../errors.js";
import { decodeJson } from "../json/documents.js";
import { codePoints } from "../json/text.js";
import { requireText, SPACES } from "./arguments.js";
import { YamlError } from "./yaml/chars.js";
import { type Item, listItems, NotPlain } from "./yaml/list.js";

const MAX_CHARS = 65_536;
const NAME = "the name of a tool, as text";

/**
 * Returns the names in a list of allowed tools, in its order, as they are written.
 *
 * `text` is a JSON list of strings, or a YAML one (`- name` lines or `[a, b]`), of at most 65,536
 * characters. Of YAML only plain lists are taken: no anchors, aliases, tags, further documents, or
 * items without quotes that YAML 1.1 takes for something else than text (`yes`, `1.0`, `2025-07-15`,
 * `12:30`, `=`: quote them); `y`, `n`, and what YAML 1.2 alone takes for a number (`1e3`, `0o17`) are
 * text. A block of Base64 goes through `decodePromptBlock` first.
 *
 * A name is what the contract lets a tool be called: any text but the empty one, blank text and control
 * characters too. The same name may be in the list twice, and comes twice.
 *
 * Throws ReadError `envelope/allowed-tools` (pointers lead into the list), or what reading JSON throws;
 * UsageError `usage/invalid-argument` for what is not text. Source: requirements S004-15.
 */
export function parseAllowedTools(text: string): string[] {
  requireText("text", text);
  if (text.length > MAX_CHARS) {
    const length = codePoints(text);
    if (length > MAX_CHARS) throw refusal("The list is too long", "at most 65,536 characters", length);
  }
  if (text.replace(SPACES, "") === "") throw refusal("There is no list; one that allows nothing is []", "a list", text);
  const items = jsonOf(text);
  if (items === undefined) return yamlNames(text);
  if (!Array.isArray(items)) throw refusal("The text is JSON, but no list", "a list of tool names", items);
  return items.map((item: unknown, index) => {
    if (typeof item === "string" && item !== "") return item;
    throw refusal("The item is no tool's name", NAME, item, `/${index}`);
  });
}

/** Returns what JSON text holds; undefined for what may be YAML. */
function jsonOf(text: string): unknown {
  try {
    return decodeJson(text);
  } catch (error) {
    // Text that is too deep may be JSON or not.
    const mayBeYaml =
      error instanceof ReadError && (error.rule === "document/invalid-json" || error.rule === "document/too-deep");
    if (mayBeYaml) return undefined;
    throw error;
  }
}

function yamlNames(text: string): string[] {
  let items: readonly Item[];
  try {
    items = listItems(text);
  } catch (error) {
    if (error instanceof NotPlain) {
      const pointer = error.index === undefined ? "" : `/${error.index}`;
      throw refusal(error.message, error.index === undefined ? "one list of tool names" : NAME, text, pointer);
    }
    if (error instanceof YamlError) throw refusal(`Neither JSON nor YAML: ${error.message}`, "a list", text);
    throw error;
  }
  // Escapes of YAML can spell halves of surrogate pairs, which stay halves side by side.
  const halves = items.flatMap(({ text: name, half }, index) => {
    const message = "A lone surrogate stands in the text";
    const place = ["well-formed Unicode", clip(name)] as const;
    return half ? [errorAt(`/${index}`, "document/lone-surrogate", message, ...place)] : [];
  });
  throwAny(halves, ReadError);
  return items.map((item) => item.text);
}

function refusal(message: string, expected: string, actual: unknown, pointer = ""): ReadError {
  return new ReadError(errorAt(pointer, "envelope/allowed-tools", message, expected, clip(actual)));
}

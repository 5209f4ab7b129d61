/**
 * The list of allowed tools in a prompt: JSON or YAML, from the author of the prompt. A list that is
 * refused allows nothing: an error is never "all tools".
 */

import { clip, errorAt, ReadError, UsageError } from "../errors.js";
import { decodeJson } from "../json/documents.js";
import { codePoints } from "../json/text.js";
import { requireText, SPACES } from "./arguments.js";

const MAX_CHARS = 65_536;
const NAME = "the name of a tool, as text";
const LIST = "one list of tool names";

// What readers of YAML do not take alike: tabs and control characters, other line ends than LF and CRLF,
// directives, marks of a document's end.
const UNPORTABLE =
  /[^\n\r -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|\r(?!\n)|^(?:%|\.\.\.)/mu;
// Text without quotes that is text in YAML 1.1 as in 1.2, in a block as between brackets: words, with one
// space between two of them.
const WORDS =
  /^[A-Za-z_\u{a1}-\u{10ffff}](?:(?:[\w./:@+=~$()*\u{a1}-\u{10ffff}-]|(?<!:) (?! |-(?!-?[A-Za-z])))*[\w./@+=~$()*\u{a1}-\u{10ffff}-])?$/u;
const NOT_TEXT: readonly string[] = ["yes", "no", "true", "false", "on", "off", "null"];
/** Quotes that end on the line on which they begin. */
const QUOTED = /^(?:'[^'\n]*(?:''[^'\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")$/;
const HALF = /\\(?:u|U0000)d[89a-f]/i;
const NESTED = /^[ \r\n]*\[[ \r\n]*[[{]/;

/** An item of a YAML list: its text, and the item as it is written, with its quotes. */
export interface YamlItem {
  readonly text: string;
  readonly written: string;
}

/** Returns the items of a text that is one YAML list of scalars; for any other text, why it is not. */
export type YamlReader = (text: string) => readonly YamlItem[] | string;

/**
 * Returns the names in a list of allowed tools, in its order, as they are written.
 *
 * `text` is a JSON list of strings, or a YAML one (`- name` lines or `[a, b]`), of at most 65,536
 * characters. YAML wants a reader: `readYamlList` of `partwire/envelope/yaml`, which uses the package
 * `yaml`. Of YAML only plain lists are taken: no anchors, aliases, tags, directives, further documents,
 * tabs or control characters. An item is in quotes, on one line, or it is words with one space between two
 * of them: a letter, `_` or a character beyond ASCII, then such characters, digits and `./:@+=~$()*-`,
 * without `:` at the end of a word, and with a letter behind one or two `-` that begin it; none of `yes`, `no`, `true`, `false`, `on`, `off` and `null` in any
 * case. Quote all else. A block of Base64 goes through `decodePromptBlock` first.
 *
 * A name is what the contract lets a tool be called: any text but the empty one, blank text and control
 * characters too. The same name may be in the list twice, and comes twice.
 *
 * Throws ReadError `envelope/allowed-tools`, or what reading JSON throws; UsageError
 * `usage/invalid-argument` for what is not text, and `usage/missing-extra` where the text is not JSON and
 * there is no reader. The pointer leads to an item of JSON, or to the first `- ` item of YAML that is
 * refused when its lines are read alone; otherwise the list is refused as a whole.
 */
export function parseAllowedTools(text: string, readYaml?: YamlReader): string[] {
  requireText("text", text);
  if (text.length > MAX_CHARS) {
    const length = codePoints(text);
    if (length > MAX_CHARS) throw refusal("The list is too long", "at most 65,536 characters", length);
  }
  if (text.replace(SPACES, "") === "") throw refusal("There is no list; one that allows nothing is []", "a list", text);
  const items = jsonOf(text);
  if (items === undefined) return yamlNames(text, readYaml ?? missingReader);
  if (!Array.isArray(items)) throw refusal("The text is JSON, but no list", "a list of tool names", items);
  return items.map((item: unknown, index) => {
    if (typeof item === "string" && item !== "") return item;
    throw refusal("The item is not a tool's name", NAME, item, `/${index}`);
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

function missingReader(text: string): never {
  const message = "The list is not JSON, and reading YAML needs a reader";
  const expected = 'readYamlList of "partwire/envelope/yaml", with the package yaml';
  throw new UsageError(errorAt("", "usage/missing-extra", message, expected, clip(text)));
}

/** Returns the names of a plain YAML list; refuses all else, an item where it is to blame. */
function yamlNames(text: string, readYaml: YamlReader): string[] {
  if (UNPORTABLE.test(text)) {
    const message = "Neither JSON nor plain YAML: a tab, a control character, a directive or '...'";
    throw refusal(message, LIST, text);
  }
  if (NESTED.test(text)) throw refusal("A plain list has no lists or mappings", NAME, text, "/0");
  const names = plainList(text, readYaml);
  if (typeof names !== "string") return names;
  for (const [index, item] of itemTexts(text).entries()) {
    const fault = plainList(item, readYaml);
    if (typeof fault === "string") throw refusal(fault, NAME, item, `/${index}`);
  }
  throw refusal(names, LIST, text);
}

/** Returns the lines of each item of a block list, as far as they are a block list. */
function itemTexts(text: string): string[] {
  const items: string[] = [];
  let indent: string | undefined;
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const content = line.replace(/^ +/, "");
    const isIgnored = content === "" || content.startsWith("#");
    if (indent === undefined) {
      if (isIgnored || content === "---") continue;
      if (!content.startsWith("-")) break;
      indent = line.slice(0, line.length - content.length);
    }
    if (`${line} `.startsWith(`${indent}- `)) items.push(`${line}\n`);
    else if (items.length > 0 && (isIgnored || line.startsWith(`${indent} `))) items.push(`${items.pop()}${line}\n`);
    else break;
  }
  return items;
}

/** Returns the names of a plain YAML list; for any other text, why it is not. */
function plainList(text: string, readYaml: YamlReader): string[] | string {
  const items = readYaml(text);
  if (typeof items === "string") return items;
  const fault = items.map(faultOf).find((found) => found !== undefined);
  return fault ?? items.map((item) => item.text);
}

/** Returns why an item is not the name of a tool; undefined where it is. */
function faultOf({ text, written }: YamlItem): string | undefined {
  if (!/^['"]/.test(written)) {
    if (!WORDS.test(text) || NOT_TEXT.includes(text.toLowerCase())) {
      return "The item is not words, or not text in every YAML; quote it";
    }
    if (!text.includes(" ") || !/\n/.test(written)) return undefined;
    return "The item ends on the line on which it begins, or is one word";
  }
  if (text === "") return "The item is empty";
  if (!QUOTED.test(written)) return "Quotes end on the line on which they begin";
  const isHalf = written.startsWith('"') && HALF.test(written.replaceAll("\\\\", ""));
  return isHalf ? "Escapes of YAML spell whole characters" : undefined;
}

function refusal(message: string, expected: string, actual: unknown, pointer = ""): ReadError {
  return new ReadError(errorAt(pointer, "envelope/allowed-tools", message, expected, clip(actual)));
}

/** Arguments and results as several formats take them: as an object, or as texts. */
import { clip } from "../../errors.js";
import { jsonText } from "../../json/compact.js";
import { keepText } from "../../json/digits.js";
import { parseArguments } from "../../message/assembler/arguments.js";
import type { Notes } from "./notes.js";
import { type Call, isPieces, type Result, wordsOf } from "./turns.js";
import { fresh, type Json } from "./values.js";

export const WIDE_INTEGER = "encode/wide-integer";
const MAX_DEPTH = 900; // nested deeper, arguments are not read

/** Returns a call's arguments, for providers that take them as an object only. */
export function objectArguments(call: Call, notes: Notes): Json {
  const { rawArgs } = call;
  if (rawArgs === undefined) return fresh(call.arguments);
  const place = `${call.pointer}/payload/rawArgsText`;
  // Blank text, which is `{}` elsewhere, says nothing of the arguments here.
  const parsed = rawArgs.trim() === "" ? undefined : parseArguments(rawArgs, MAX_DEPTH);
  if (parsed === undefined || parsed.error !== undefined) {
    notes.add(
      "encode/arguments-lost",
      "The provider takes arguments as an object only; text that is none is left out",
      place,
      { expected: "a JSON object", actual: clip(rawArgs) },
    );
    return fresh(call.arguments);
  }
  if (parsed.keepText) {
    notes.add(WIDE_INTEGER, "Not every JSON value keeps an integer of the arguments; the request as text does", place, {
      expected: "integers within ±(2^53 - 1)",
      actual: clip(rawArgs),
    });
    keepText(parsed.value, rawArgs);
  }
  return parsed.value;
}

/** Returns a call's arguments as text: what the model wrote where that is kept, else as JSON. */
export const textArguments = (call: Call): string => call.rawArgs ?? jsonText(call.arguments);

/** Returns a result's texts, for providers that take nothing else; the rest is noted. */
export function resultTexts({ content }: Result, notes: Notes): string[] {
  if (typeof content === "string") return [content];
  if (!isPieces(content)) return [jsonText(content)];
  const texts: string[] = [];
  for (const piece of content) {
    const said = piece.type === "text" ? piece : wordsOf(piece, "text: a tool's result is nothing else", notes);
    if (said !== undefined) texts.push(said.text);
  }
  return texts;
}

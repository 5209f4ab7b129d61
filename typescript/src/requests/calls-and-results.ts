/** Arguments and results as several formats take them: as an object, or as texts. */
import { clip } from "../errors.js";
import { jsonText } from "../json-text.js";
import type { Notes } from "./notes.js";
import { type Call, isPieces, type Result } from "./turns.js";
import { fresh, type Json, objectOf } from "./values.js";

/** Returns a call's arguments, for providers that take them as an object only. */
export function objectArguments(call: Call, notes: Notes): Json {
  if (call.rawArgs !== undefined) {
    const value = objectOf(call.rawArgs);
    if (value !== undefined) return value;
    notes.add(
      "encode/arguments-lost",
      "The provider takes arguments as an object only; text that is none is left out",
      `${call.pointer}/payload/rawArgsText`,
      { expected: "a JSON object", actual: clip(call.rawArgs) },
    );
  }
  return fresh(call.arguments);
}

/** Returns a call's arguments as text: what the model wrote where that is kept, else as JSON. */
export const textArguments = (call: Call): string => call.rawArgs ?? jsonText(call.arguments);

/** Returns a result's texts, for providers that take nothing else; the rest is noted. */
export function resultTexts({ content }: Result, notes: Notes): string[] {
  if (typeof content === "string") return [content];
  if (!isPieces(content)) return [jsonText(content)];
  const texts: string[] = [];
  for (const piece of content) {
    if (piece.type === "text") texts.push(piece.text);
    else notes.unsupportedPart(piece.pointer, "text: a tool's result is nothing else", piece.media.said());
  }
  return texts;
}

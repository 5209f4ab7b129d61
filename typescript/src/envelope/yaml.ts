/**
 * The reader of YAML for `parseAllowedTools`, by the package `yaml`, an optional peer: import this module
 * and pass `readYamlList` on. Programs that do not import it need no such package, and bundle none.
 */
import { Composer, isScalar, isSeq, Parser } from "yaml";
import type { YamlItem } from "./allowed-tools.js";

/**
 * Returns the items of a text that is one YAML list of scalars, in its order; for any other text, why it
 * is not.
 */
export function readYamlList(text: string): readonly YamlItem[] | string {
  const tokens = [...new Parser().parse(text)];
  // Composing goes as deep on the stack as the text does: a list in a list is refused before.
  const isNested = tokens.some((token) => {
    if (token.type !== "document" || token.value === undefined || !("items" in token.value)) return false;
    return token.value.items.some(({ key, value }) => key != null || (value !== undefined && "items" in value));
  });
  if (isNested) return "Not a plain list: a list or a mapping is in it";
  const documents = [...new Composer({ schema: "failsafe", prettyErrors: false }).compose(tokens, true, text.length)];
  const error = documents.flatMap(({ errors }) => errors)[0];
  if (error !== undefined) return `Neither JSON nor YAML: ${error.message}`;
  const list = documents[0]?.contents;
  if (documents.length !== 1 || !isSeq(list)) return "Not a plain list alone";
  if (list.anchor || list.tag) return "A plain list has no anchors or tags";
  const items: YamlItem[] = [];
  for (const item of list.items) {
    if (!isScalar(item) || item.anchor || item.tag) return "A plain list has no anchors, aliases or tags";
    const [start, end] = item.range ?? [0, 0];
    items.push({ text: item.source ?? "", written: text.slice(start, end) });
  }
  return items;
}

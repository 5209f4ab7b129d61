/**
 * A plain YAML list of texts, read from tokens and never constructed, so that there is nothing for
 * tags and aliases to do: what is not plain is refused where it begins.
 */
import { YamlError } from "./chars.js";
import type { Scalar } from "./scalars.js";
import { type Kind, Scanner } from "./scanner.js";

/** A list that is YAML, but not plain; `index` is that of the item, if it is one. */
export class NotPlain extends Error {
  constructor(
    message: string,
    readonly index?: number,
  ) {
    super(message);
  }
}

// What YAML 1.1 takes a scalar without quotes for, when it is not for text.
const NO_TEXT = [
  /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
  /^[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?$/,
  /^\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?$/,
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/,
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
  /^(?:<<|~|null|Null|NULL|=)$/,
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?$/,
];

const COLLECTIONS: readonly Kind[] = ["flow sequence", "flow mapping", "block sequence", "block mapping"];

/** An item's text, and whether an escape in it spells half of a surrogate pair. */
export type Item = Pick<Scalar, "text" | "half">;

/** Returns the items of a list; throws YamlError for what is no YAML, NotPlain for all else. */
export function listItems(text: string): Item[] {
  const scanner = new Scanner(text);
  const handles = beginDocument(scanner);
  const isBlock = scanner.isAt("block sequence");
  if (!isBlock && !scanner.isAt("flow sequence")) throw new NotPlain("Not a plain list");
  scanner.take();
  const items: Item[] = [];
  for (;;) {
    const next = isBlock ? blockEntry(scanner) : flowEntry(scanner, items.length);
    if (next === "end") break;
    items.push(next === "empty" ? plainText(undefined, items.length) : nodeText(scanner, handles, items.length));
  }
  while (scanner.isAt("document end")) scanner.take();
  if (!scanner.isAt("stream end")) throw new NotPlain("Not a plain list alone");
  return items;
}

/** Reads up to the document's content; returns the handles that its tags may have. */
function beginDocument(scanner: Scanner): ReadonlySet<string> {
  const handles = new Set<string>();
  if (!scanner.isAt("directive", "document start", "stream end")) return new Set(["!", "!!"]);
  let hasVersion = false;
  while (scanner.isAt("directive")) {
    const { name, major, handle } = scanner.take().directive ?? { name: "" };
    if (major !== undefined && (hasVersion || !/^0*1$/.test(major))) throw new YamlError(`found ${name} ${major}`);
    if (handle !== undefined && handles.has(handle)) throw new YamlError(`found the tag handle ${handle} twice`);
    hasVersion ||= major !== undefined;
    if (handle !== undefined) handles.add(handle);
  }
  if (!scanner.isAt("document start")) throw new YamlError("expected the start of a document");
  scanner.take();
  return handles.add("!").add("!!");
}

type Next = "node" | "empty" | "end";

/** Reads up to the next item of a block. */
function blockEntry(scanner: Scanner): Next {
  if (scanner.isAt("block entry")) {
    scanner.take();
    return scanner.isAt("block entry", "block end") ? "empty" : "node";
  }
  if (!scanner.isAt("block end"))
    throw new YamlError(`expected the end of a block, but found a ${scanner.peek().kind}`);
  scanner.take();
  return "end";
}

/** Reads up to the next item between brackets. */
function flowEntry(scanner: Scanner, index: number): Next {
  if (!scanner.isAt("flow sequence end") && index > 0) {
    if (!scanner.isAt("flow entry")) throw new YamlError(`expected ',' or ']', but found a ${scanner.peek().kind}`);
    scanner.take();
  }
  if (scanner.isAt("key")) throw new NotPlain("A plain list has no mappings", index);
  if (!scanner.isAt("flow sequence end")) return "node";
  scanner.take();
  return "end";
}

/** Returns the item that begins here; refuses what is no plain text. */
function nodeText(scanner: Scanner, handles: ReadonlySet<string>, index: number): Item {
  if (scanner.isAt("alias")) throw new NotPlain("A plain list has no aliases", index);
  const before = scanner.peek().kind;
  if (before === "anchor" || before === "tag") {
    takeProperties(scanner, handles);
    throw new NotPlain(`A plain list has no ${before}s`, index);
  }
  const { kind } = scanner.peek();
  if (COLLECTIONS.includes(kind)) throw new NotPlain(`A plain list has no ${kind}s`, index);
  if (kind !== "scalar") throw new YamlError(`expected an item, but found a ${kind}`);
  return plainText(scanner.take().scalar, index);
}

/** Reads an anchor and a tag, in either order, and looks at what they stand before. */
function takeProperties(scanner: Scanner, handles: ReadonlySet<string>): void {
  const first = scanner.take();
  const other: Kind = first.kind === "anchor" ? "tag" : "anchor";
  const tag = scanner.isAt(other) ? [first, scanner.take()].find(({ kind }) => kind === "tag") : first;
  scanner.peek();
  if (tag?.handle !== undefined && !handles.has(tag.handle)) throw new YamlError(`found the tag handle ${tag.handle}`);
}

/** Returns the text of a scalar that is one, and not empty; nothing stands for an empty item. */
function plainText(scalar: Scalar | undefined, index: number): Item {
  if (scalar === undefined || scalar.text === "") throw new NotPlain("The item is empty", index);
  if (scalar.plain && NO_TEXT.some((form) => form.test(scalar.text))) {
    throw new NotPlain("YAML takes the item for something else than text; quote it", index);
  }
  return scalar;
}

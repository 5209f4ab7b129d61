/**
 * A plain YAML list of texts, read from the syntax tree and never constructed, so that there is nothing
 * for tags and aliases to do: what is not plain is refused where it begins.
 *
 * The package `yaml` reads YAML 1.2, and other languages of the contract read YAML 1.1. What the two
 * read differently is refused here, so that a list that is taken has the same names everywhere.
 */
import { Composer, CST, Parser } from "yaml";

/** An item's text, and whether an escape in it spells half of a surrogate pair. */
export interface Item {
  readonly text: string;
  readonly half: boolean;
}

/** A text that is not a plain list; `index` is that of the item, if it is one. */
export class NotPlain extends Error {
  constructor(
    message: string,
    readonly index?: number,
  ) {
    super(message);
  }
}

type Entry = CST.BlockSequence["items"][number] | CST.FlowCollection["items"][number];
type List = CST.BlockSequence | CST.FlowCollection;
type ScalarToken = CST.FlowScalar | CST.BlockScalar;

// YAML has no other control characters. The two line separators end a line in YAML 1.1 alone.
const UNREADABLE = /[^\t\n\r -~\x85\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

// What YAML 1.1 takes a scalar without quotes for, when it is not for text.
const OTHER_THAN_TEXT = [
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

/** Returns the items of a list; throws NotPlain for all else. */
export function listItems(given: string): Item[] {
  const text = given.replace(/^\ufeff/, "").replace(/\r\n?|\x85/g, "\n");
  if (UNREADABLE.test(text)) throw notYaml("special characters are not allowed");
  const tokens = [...new Parser().parse(text)];
  const end = tokens.findIndex(({ type }) => type === "document");
  const document = tokens[end] as CST.Document | undefined;
  const list = document?.value;
  if (!isList(list) || document?.start.some(isProperty) === true) throw new NotPlain("Not a plain list");
  if (/\n +(?:\n|$)/.test(text) && list.items.some(({ value }) => isNumbered(value))) {
    throw notYaml("a line of spaces beside a block whose indentation is a number");
  }
  // Nothing is composed that is nested, however deep: that is refused before.
  const isFlat = list.items.every((entry) => valueKind(entry) !== "collection");
  const firstError = isFlat ? errorIn(tokens.slice(0, end + 1), list) : undefined;
  const items: Item[] = [];
  for (const [index, entry] of entriesOf(list).entries()) {
    const refused = refusalOf(entry, index);
    const token = entry.value as ScalarToken | null | undefined;
    if (firstError !== undefined && firstError.offset <= placeOf(entry)) throw notYaml(firstError.message);
    if (refused !== undefined) throw refused;
    items.push(itemOf(token, index, list.type === "flow-collection"));
  }
  if (firstError !== undefined) throw notYaml(firstError.message);
  if (!tokens.slice(end + 1).every(isBeside)) throw new NotPlain("Not a plain list alone");
  return items;
}

const notYaml = (why: string): NotPlain => new NotPlain(`Neither JSON nor YAML: ${why}`);

const sourceOf = (token: CST.Token | null | undefined): string =>
  token !== undefined && token !== null && "source" in token ? token.source : "";

/** Returns up to where an item has to be right, so that it can be refused for what it is. */
function placeOf({ start, value }: Entry): number {
  const property = start.find(isProperty);
  if (property !== undefined || value === undefined || value === null) {
    return (property ?? start.at(-1))?.offset ?? 0;
  }
  return value.offset + (value.type.endsWith("quoted-scalar") ? sourceOf(value).length : 0);
}

/** Tells whether a document is a list on which nothing else is said. */
function isList(value: CST.Token | undefined): value is List {
  return value?.type === "block-seq" || (value?.type === "flow-collection" && value.start.source === "[");
}

/** Returns the items of a list: a comma at its end has none behind it. */
function entriesOf(list: List): readonly Entry[] {
  if (list.type === "block-seq") return list.items;
  const last = list.items.at(-1);
  const isEmpty = last !== undefined && valueKind(last) === undefined && !last.start.some(isProperty);
  return isEmpty && last.sep === undefined ? list.items.slice(0, -1) : list.items;
}

const isProperty = ({ type }: CST.SourceToken): boolean =>
  type === "anchor" || type === "tag" || type === "explicit-key-ind";

function valueKind({ value }: Entry): "collection" | "alias" | "scalar" | undefined {
  if (value === undefined || value === null) return undefined;
  if (value.type === "alias") return "alias";
  return CST.isCollection(value) ? "collection" : "scalar";
}

/** Returns why an item is not a plain scalar; undefined for one that is, or is empty. */
function refusalOf(entry: Entry, index: number): NotPlain | undefined {
  const has = (type: string): boolean => entry.start.some((token) => token.type === type);
  const hasKey = entry.key !== undefined && entry.key !== null;
  if (!hasKey && entry.sep !== undefined && !has("explicit-key-ind")) return notYaml("expected an item");
  const kinds: readonly [boolean, string][] = [
    [has("anchor"), "anchors"],
    [has("tag"), "tags"],
    [has("explicit-key-ind") || hasKey || entry.sep !== undefined, "mappings"],
    [valueKind(entry) === "alias", "aliases"],
    [valueKind(entry) === "collection", "lists or mappings"],
  ];
  const found = kinds.find(([is]) => is);
  return found === undefined ? undefined : new NotPlain(`A plain list has no ${found[1]}`, index);
}

/** Returns the first error in a document that is a flat list. */
function errorIn(tokens: CST.Token[], list: List): { readonly offset: number; readonly message: string } | undefined {
  const composer = new Composer({ version: "1.1", schema: "failsafe", prettyErrors: false });
  const errors = [...composer.compose(tokens)].flatMap((document) => document.errors);
  const found = errors
    .filter(({ message }) => !isAllowed(message))
    .map(({ pos, message }) => ({ offset: pos[0], message }));
  const major = tokens.find((token) => token.type === "directive" && /^%YAML\s+(?!0*1\.)/.test(token.source));
  if (major !== undefined) found.push({ offset: 0, message: "the version is not 1" });
  // A tab separates nothing in YAML 1.1.
  const tab = separatorsOf(tokens, list).find((token) => token.type === "space" && token.source.includes("\t"));
  if (tab !== undefined) found.push({ offset: 0, message: "a tab is between the items" });
  return found.sort((one, other) => one.offset - other.offset)[0];
}

/** Tells whether YAML 1.1 allows what an error is about: it asks for no space before a comment. */
const isAllowed = (message: string): boolean => message.startsWith("Comments must be separated");

/** Returns what is between the items of a flat list, before it and behind it. */
function separatorsOf(tokens: readonly CST.Token[], list: List): CST.SourceToken[] {
  const found: (CST.SourceToken[] | undefined)[] = [list.type === "flow-collection" ? list.end : undefined];
  for (const token of tokens)
    found.push(...(token.type === "document" ? [token.start, token.end] : [[token as CST.SourceToken]]));
  for (const { start, sep, value } of list.items) {
    found.push(start, sep);
    if (value?.type === "block-scalar") found.push(value.props.filter((each) => "source" in each) as CST.SourceToken[]);
    else if (value !== undefined && value !== null && "end" in value) found.push(value.end);
  }
  return found.flatMap((each) => each ?? []);
}

/** Returns the text of a scalar that is one, and not empty; nothing stands for an empty item. */
function itemOf(token: ScalarToken | null | undefined, index: number, isFlow: boolean): Item {
  const source = sourceOf(token);
  const scalar = token === undefined || token === null ? undefined : CST.resolveAsScalar(token, true, refuse);
  const isPlain = token?.type === "scalar";
  if (token?.type === "double-quoted-scalar" && !/^"(?:[^"\\]|\\[\s\S])*"$/.test(source))
    throw notYaml("missing closing quote");
  if (token?.type === "double-quoted-scalar" && /\\\n[ \t]*\n/.test(source)) throw notYaml("an escaped line is empty");
  if (token?.type === "single-quoted-scalar" && !/^'(?:[^']|'')*'$/.test(source))
    throw notYaml("missing closing quote");
  if (isPlain && source.includes("\t")) throw notYaml("a tab is in an item without quotes");
  if (isPlain && isFlow && source.startsWith(":")) throw notYaml("an item begins with a colon");
  if (isPlain && isFlow && source.includes("?")) throw new NotPlain("A plain list has no mappings", index);
  let text = scalar?.value ?? "";
  // The last line of a text need not end; one that does not adds no line end.
  if (token?.type === "block-scalar" && source !== "" && !source.endsWith("\n")) text = text.replace(/\n$/, "");
  if (text === "") throw new NotPlain("The item is empty", index);
  if (isPlain && OTHER_THAN_TEXT.some((form) => form.test(text))) {
    throw new NotPlain("YAML takes the item for something else than text; quote it", index);
  }
  return { text, half: token?.type === "double-quoted-scalar" && spellsHalf(source) };
}

/** Throws for what the composer has not seen: a list that is not flat is not composed. */
function refuse(_offset: number, _code: string, message: string): void {
  throw notYaml(message);
}

/** Tells whether the head of a block scalar has its indentation as a number. */
function isNumbered(value: CST.Token | null | undefined): boolean {
  if (value?.type !== "block-scalar") return false;
  return value.props.some((each) => each.type === "block-scalar-header" && /[0-9]/.test(each.source));
}

/** Tells whether a token may be behind the list: the document's end, a comment, an empty line. */
function isBeside(token: CST.Token): boolean {
  if (token.type === "doc-end") return (token.end ?? []).every(isBeside);
  const isEmpty = token.type === "space" && !token.source.includes("\t");
  return isEmpty || token.type === "comment" || token.type === "newline";
}

/** Tells whether an escape spells half of a surrogate pair: halves side by side stay halves. */
function spellsHalf(source: string): boolean {
  return [...source.matchAll(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[\s\S])/g)].some(([, four, eight]) => {
    const point = parseInt(four ?? eight ?? "0", 16);
    return point >= 0xd800 && point <= 0xdfff;
  });
}

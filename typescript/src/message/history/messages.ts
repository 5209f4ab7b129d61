/**
 * Messages as a history has them: JSON values or JSON text, of this peer or a newer one. A history
 * is judged as a whole, so a message is refused only for its shape: what the contract says of roles
 * and tool calls, the history says itself, in its own rules.
 */
import { bindingOf } from "../../contract/catalog.js";
import { LATEST_VERSION } from "../../contract/current/index.js";
import type { TolerantMessage } from "../../contract/current/message.js";
import type { Node, Rule } from "../../contract/nodes.js";
import { type Finding, hasError, PartwireError } from "../../errors.js";
import { decodeJson, isJsonText, valueFindings } from "../../json/documents.js";
import { own } from "../../json/values.js";
import { checkBeside, plainValue } from "../../reading/checks.js";
import { relax, unknownPlaces } from "../../reading/tolerance.js";

const REPORTED_BY_HISTORY = new Set([
  "message/role-part-kind",
  "message/duplicate-approval",
  "message/duplicate-tool-call",
  "message/duplicate-tool-result",
]);

/** A message, or what was given in place of one. */
interface Opened {
  readonly message?: TolerantMessage;
  /** The JSON value that was read. */
  readonly document?: unknown;
  readonly findings: readonly Finding[];
}

/**
 * Returns role → the kinds of parts that it may hold, as that version's Message declares them.
 * Throws UsageError `usage/unknown-version`.
 */
export function allowedKinds(version: string): ReadonlyMap<string, readonly string[]> {
  const binding = bindingOf("message.Message", version);
  const node = own(binding.data, "Message") as Node | undefined;
  const rules: readonly Rule[] = node?.t === "object" ? (node.r ?? []) : [];
  const table = rules.find((rule) => rule.op === "tag-table");
  return new Map(Object.entries(table?.table ?? {}));
}

/** Returns role → the kinds that it may not hold; others are new to that version, and not judged. */
export function misplacedKinds(version: string): ReadonlyMap<string, ReadonlySet<string>> {
  const allowed = allowedKinds(version);
  const known = new Set([...allowed.values()].flat());
  const rows = [...allowed].map(([role, kinds]): [string, Set<string>] => {
    return [role, new Set([...known].filter((kind) => !kinds.includes(kind)))];
  });
  return new Map(rows);
}

/** Tells whether results of that version may say how the call came out. */
export function hasOutcome(version: string): boolean {
  const node = own(bindingOf("message.Message", version).data, "ToolResult") as Node | undefined;
  return node?.t === "object" && node.m.some(([name]) => name === "outcome");
}

/** Returns what was given as a message, read tolerantly, and what was found. Never throws for it. */
export function readMessage(given: unknown): Opened {
  try {
    return readDocument(plainMessage(given));
  } catch (error) {
    if (error instanceof PartwireError) return { findings: error.findings };
    throw error;
  }
}

/** Returns what was given as a JSON value, which need not be a message; throws ReadError. */
function plainMessage(given: unknown): unknown {
  return isJsonText(given) ? decodeJson(given) : plainValue(given);
}

function readDocument(document: unknown): Opened {
  const wrong = valueFindings(document);
  if (wrong.length > 0) return { findings: wrong };
  const binding = bindingOf("message.Message", LATEST_VERSION);
  const notes: Finding[] = [];
  const relaxed = relax(binding.data, binding.name, document, notes);
  const checked = checkBeside(binding, relaxed, unknownPlaces(notes));
  const found = checked.filter((each) => !REPORTED_BY_HISTORY.has(each.rule));
  if (hasError(found)) return { findings: found };
  return { message: relaxed as TolerantMessage, document, findings: [...notes, ...found] };
}

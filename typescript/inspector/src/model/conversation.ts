/** What belongs together in a history: calls with their results and approvals, defects with their place, totals. */

import type { Finding, Message, message } from "partwire";
import { keyOf, slotOf } from "../../../src/message/history/runs.js";

/** A part, by the number of its document and its own. */
export interface PartPlace {
  readonly document: number;
  readonly part: number;
}

/** A call with all that answers it. */
export interface LinkedCall {
  /** Counted from 1, in the order of the history. */
  readonly number: number;
  readonly name: string;
  readonly isServer: boolean;
  readonly place: PartPlace;
  readonly results: PartPlace[];
  readonly requests: PartPlace[];
  readonly responses: PartPlace[];
}

type Part = message.TolerantMessage["parts"][number];
type Kind<K extends message.MessagePart["kind"]> = Extract<message.MessagePart, { kind: K }>;

/** Returns a part's kind; undefined where this version does not know it. */
export function kindOf(part: Part): message.MessagePart["kind"] | undefined {
  return "kind" in part ? (part.kind as message.MessagePart["kind"]) : undefined;
}

/** Returns a name for a part's place, for maps and as an element's id. */
export function placeKey({ document, part }: PartPlace): string {
  return `part-${document}-${part}`;
}

/** Returns the numbers of the document and of the part that a pointer leads to, or into; as far as it names them. */
export function placeOfPointer(pointer: string): Partial<PartPlace> {
  const [, document, , part] = /^\/(\d+)(\/parts\/(\d+))?/.exec(pointer) ?? [];
  return { ...(document && { document: Number(document) }), ...(part && { part: Number(part) }) };
}

interface Waiting {
  readonly slot: string;
  readonly place: PartPlace;
}

/**
 * Returns, for each part that is a call or answers one, that call. Results are matched as a repair of the history
 * matches them: with the first call of their id that waits, else with one that comes later, else with the last one.
 */
export function linkCalls(messages: readonly Message[], places: readonly number[]): ReadonlyMap<string, LinkedCall> {
  const links = new Map<string, LinkedCall>();
  const open = new Map<string, LinkedCall[]>();
  const latest = new Map<string, LinkedCall>();
  const requests = new Map<string, LinkedCall>();
  const early: Waiting[] = [];
  let count = 0;
  const link = (call: LinkedCall | undefined, to: "results" | "requests" | "responses", place: PartPlace): void => {
    if (call === undefined) return;
    call[to].push(place);
    links.set(placeKey(place), call);
  };
  for (const [index, { runId, parts }] of messages.entries()) {
    for (const [part, each] of (parts as readonly Part[]).entries()) {
      const place: PartPlace = { document: places[index] ?? index, part };
      const kind = kindOf(each);
      if (kind === "tool_call" || kind === "server_tool_call") {
        const { toolCallId: id, toolName: name } = (each as Kind<"tool_call">).payload;
        const isServer = kind === "server_tool_call";
        const slot = keyOf(runId, slotOf({ id, isServer }));
        const call = { number: ++count, name, isServer, place, results: [], requests: [], responses: [] };
        links.set(placeKey(place), call);
        const waiting = open.get(slot);
        if (waiting === undefined) open.set(slot, [call]);
        else waiting.push(call);
        latest.set(slot, call);
        latest.set(keyOf(runId, id), call);
      } else if (kind === "tool_result" || kind === "server_tool_result") {
        const { toolCallId: id } = (each as Kind<"tool_result">).payload;
        const slot = keyOf(runId, slotOf({ id, isServer: kind === "server_tool_result" }));
        const call = open.get(slot)?.shift();
        if (call === undefined) early.push({ slot, place });
        else link(call, "results", place);
      } else if (kind === "approval_request") {
        const { approvalId, toolCallId } = (each as Kind<"approval_request">).payload;
        const call = latest.get(keyOf(runId, toolCallId));
        link(call, "requests", place);
        if (call !== undefined) requests.set(keyOf(runId, approvalId), call);
      } else if (kind === "approval_response") {
        const { approvalId, toolCallId } = (each as Kind<"approval_response">).payload;
        link(requests.get(keyOf(runId, approvalId)) ?? latest.get(keyOf(runId, toolCallId)), "responses", place);
      }
    }
  }
  for (const { slot, place } of early) link(open.get(slot)?.shift() ?? latest.get(slot), "results", place);
  return links;
}

/** Findings of one document: about it as a whole, or its head, and by the number of a part. */
export interface DocumentFindings {
  readonly whole: readonly Finding[];
  readonly parts: ReadonlyMap<number, readonly Finding[]>;
}

/** Returns findings by the document and part that their pointers name. */
export function placeFindings(findings: readonly Finding[]): ReadonlyMap<number, DocumentFindings> {
  const placed = new Map<number, { whole: Finding[]; parts: Map<number, Finding[]> }>();
  for (const finding of findings) {
    const { document = 0, part } = placeOfPointer(finding.pointer);
    const there = placed.get(document) ?? { whole: [], parts: new Map<number, Finding[]>() };
    placed.set(document, there);
    const known = part === undefined ? there.whole : there.parts.get(part);
    if (known !== undefined) known.push(finding);
    else if (part !== undefined) there.parts.set(part, [finding]);
  }
  return placed;
}

const FIGURES = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "reasoningTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "cost",
] as const;

/** What all messages come to. */
export interface Totals {
  /** Figures of usage by name, as far as messages have them. */
  readonly usage: readonly (readonly [name: string, sum: number])[];
  /** How many messages have usage. */
  readonly counted: number;
  readonly finishReasons: readonly (readonly [reason: string, count: number])[];
  readonly roles: readonly (readonly [role: string, count: number])[];
  readonly models: readonly (readonly [model: string, count: number])[];
  readonly incomplete: number;
}

export function totalsOf(messages: readonly Message[]): Totals {
  const usages = messages.flatMap(({ meta }) => (meta?.usage === undefined ? [] : [meta.usage]));
  const usage = FIGURES.flatMap((name) => {
    const figures = usages.flatMap((each) => each[name] ?? []);
    return figures.length === 0 ? [] : [[name, figures.reduce((sum, figure) => sum + figure, 0)] as const];
  });
  const count = (words: readonly (string | undefined)[]): (readonly [string, number])[] => {
    const counts = new Map<string, number>();
    for (const word of words) if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one);
  };
  return {
    usage,
    counted: usages.length,
    finishReasons: count(messages.map(({ meta }) => meta?.finishReason)),
    roles: count(messages.map(({ role }) => role)),
    models: count(messages.map(({ meta }) => meta?.modelId)),
    incomplete: messages.filter(({ meta }) => meta?.incomplete !== undefined).length,
  };
}

/** Text cut where citations end; behind each piece are the numbers of its footnotes. */
export interface CitedPiece {
  readonly text: string;
  readonly notes: readonly number[];
}

/** Returns text with the numbers of its footnotes behind what they are about. Places are code points. */
export function citedPieces(text: string, citations: readonly message.Citation[]): CitedPiece[] {
  const ends = new Map<number, number[]>();
  const characters = citations.length > 0 ? [...text] : [];
  const placeless: number[] = [];
  for (const [index, { start, end }] of citations.entries()) {
    if (start === undefined || end === undefined) placeless.push(index + 1);
    else {
      const at = Math.min(end, characters.length);
      ends.set(at, [...(ends.get(at) ?? []), index + 1]);
    }
  }
  const pieces: CitedPiece[] = [];
  let from = 0;
  for (const at of [...ends.keys()].sort((one, other) => one - other)) {
    pieces.push({ text: characters.slice(from, at).join(""), notes: ends.get(at) ?? [] });
    from = at;
  }
  const rest = from === 0 ? text : characters.slice(from).join("");
  if (rest !== "" || placeless.length > 0 || pieces.length === 0) pieces.push({ text: rest, notes: placeless });
  return pieces;
}

/** The time of messages that were read from a format without times. */
const NO_TIME = "1970-01-01T00:00:00Z";

/** Returns when a message was, where its format says so. */
export function timeOf({ timestamp }: Pick<Message, "timestamp">): string | undefined {
  return timestamp === NO_TIME ? undefined : timestamp;
}

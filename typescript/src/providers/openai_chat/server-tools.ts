/** Tools that the vendor runs, as Groq tells of them: twice, the second time with the output. */
import { isObject } from "../../json/values.js";
import { integerAt, jsonTextAt } from "../core/spelling.js";
import { readResult } from "../core/tool-results.js";
import { type Members, member, saidMember } from "../core/values.js";
import type { DeltaWriter } from "../core/writer.js";

const FOUND = ["search_results", "code_results", "browser_results"]; // the output as data

/** A tool that has been told of. */
interface Tool {
  readonly name: string;
  readonly callId: string;
  isOver: boolean;
}

/** Writes the calls and results of one answer. */
export class ChatServerTools {
  readonly #tools = new Map<number, Tool>(); // by index, or place

  constructor(readonly writer: DeltaWriter) {}

  /** Reads the tools of one chunk; returns false where one of them has no name. */
  read(tools: unknown): boolean {
    const given: unknown[] = Array.isArray(tools) ? tools : [tools];
    const named = given.filter(isObject).filter((tool) => nameOf(tool) !== "");
    if (named.length < given.length) return false;
    for (const [place, tool] of named.entries()) this.#read(tool, place);
    return true;
  }

  #read(tool: Members, place: number): void {
    const index = integerAt(tool, "index");
    const name = nameOf(tool);
    let known = this.#tools.get(index ?? place);
    if (known === undefined || known.name !== name || (known.isOver && index === undefined)) {
      known = this.#open(tool, name);
      this.#tools.set(index ?? place, known);
    }
    if (known.isOver) return;
    const hasOutput = member(tool, "output") !== undefined;
    const found = FOUND.find((each) => saidMember(tool, each) !== undefined);
    if (!hasOutput && found === undefined) return;
    known.isOver = true;
    const { content, structured } = readResult(tool, hasOutput ? "output" : (found ?? ""));
    const data = found === undefined ? structured : readResult(tool, found).structured;
    this.writer.serverResult(known.callId, { isError: false, content, outcome: "success", structured: data });
  }

  #open(tool: Members, name: string): Tool {
    const own = member(tool, "id");
    const call = this.writer.openServerCall(typeof own === "string" ? own : undefined, name);
    const given = member(tool, "arguments");
    if (given !== undefined)
      this.writer.args(call, typeof given === "string" ? given : (jsonTextAt(tool, "arguments") ?? ""));
    this.writer.endCall(call);
    return { name, callId: call.toolCallId, isOver: false };
  }
}

/** Returns the name of a tool: its type, unless that is what all have. */
function nameOf(tool: Members): string {
  const [kind, name] = [member(tool, "type"), member(tool, "name")];
  const isNamed = typeof name === "string" && name !== "" && (kind === undefined || kind === "function");
  const said = isNamed ? name : kind;
  return typeof said === "string" ? said : "";
}

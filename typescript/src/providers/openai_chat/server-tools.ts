/** Tools that the vendor runs, as Groq tells of them: twice, the second time with the output. */
import { isObject } from "../../json/values.js";
import { integerAt, jsonTextAt } from "../core/spelling.js";
import { readResult } from "../core/tool-results.js";
import { type Members, member, saidMember } from "../core/values.js";
import type { DeltaWriter } from "../core/writer.js";

const FOUND = ["search_results", "code_results", "browser_results"]; // the output as data
const SAID = ["arguments", "output", ...FOUND];

/** JSON text by member. */
type Said = Map<string, string | undefined>;

/** A tool that has been told of, and what it has said. */
interface Tool {
  readonly name: string;
  readonly callId: string;
  readonly said: Said;
  isOver: boolean;
}

/** Writes the calls and results of one answer. */
export class ChatServerTools {
  readonly #tools = new Map<number, Tool>(); // by index, or place

  constructor(readonly writer: DeltaWriter) {}

  /** Reads the tools of one chunk; returns those that have not been written, or not whole. */
  read(tools: unknown): unknown[] {
    const given: unknown[] = Array.isArray(tools) ? tools : [tools];
    return given.filter((tool, place) => !this.#read(tool, place));
  }

  /** Writes what a tool says; returns false where it has no name, or contradicts itself. */
  #read(tool: unknown, place: number): boolean {
    const name = isObject(tool) ? nameOf(tool) : "";
    if (!isObject(tool) || name === "") return false;
    const index = integerAt(tool, "index");
    const names = SAID.filter((each) => saidMember(tool, each) !== undefined);
    const said: Said = new Map(names.map((each) => [each, jsonTextAt(tool, each)]));
    let known = this.#tools.get(index ?? place);
    if (known === undefined || known.name !== name || (known.isOver && index === undefined)) {
      known = this.#open(tool, name, said);
      this.#tools.set(index ?? place, known);
    }
    const isSound = !contradicts(known, said);
    if (!known.isOver) {
      for (const [each, text] of said) known.said.set(each, text);
      this.#writeResult(known, tool);
    }
    return isSound;
  }

  #writeResult(known: Tool, tool: Members): void {
    const hasOutput = member(tool, "output") !== undefined;
    const found = FOUND.find((each) => saidMember(tool, each) !== undefined);
    if (!hasOutput && found === undefined) return;
    known.isOver = true;
    const { content, structured } = readResult(tool, hasOutput ? "output" : (found ?? ""));
    const data = found === undefined ? structured : readResult(tool, found).structured;
    this.writer.serverResult(known.callId, { isError: false, content, outcome: "success", structured: data });
  }

  #open(tool: Members, name: string, said: Said): Tool {
    const own = member(tool, "id");
    const call = this.writer.openServerCall(typeof own === "string" ? own : undefined, name);
    const given = member(tool, "arguments");
    if (given !== undefined)
      this.writer.args(call, typeof given === "string" ? given : (jsonTextAt(tool, "arguments") ?? ""));
    this.writer.endCall(call);
    return { name, callId: call.toolCallId, said, isOver: false };
  }
}

/** Tells whether a tool says otherwise now, of what has been written. */
function contradicts(known: Tool, said: Said): boolean {
  const written = known.isOver ? [...said.keys()] : ["arguments"].filter((name) => said.has(name));
  return written.some((name) => said.get(name) !== known.said.get(name));
}

/** Returns the name of a tool: its type, unless that is what all have. */
function nameOf(tool: Members): string {
  const [kind, name] = [member(tool, "type"), member(tool, "name")];
  const isNamed = typeof name === "string" && name !== "" && (kind === undefined || kind === "function");
  const said = isNamed ? name : kind;
  return typeof said === "string" ? said : "";
}

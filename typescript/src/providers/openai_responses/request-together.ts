/**
 * What Responses take only together goes back together or not at all: reasoning and the item that it
 * led to, the call of a built-in tool and its output.
 */
import { own } from "../../json/values.js";
import { saysAnything } from "../core/values.js";
import type { Notes } from "../request_core/notes.js";
import { type Json, worded } from "../request_core/values.js";

// Calls of built-in tools whose output is an item of its own, with the call's id.
const PAIRED: ReadonlyMap<string, string> = new Map([
  ["computer_call", "computer_call_output"],
  ["local_shell_call", "local_shell_call_output"],
  ["shell_call", "shell_call_output"],
  ["apply_patch_call", "apply_patch_call_output"],
  ["tool_search_call", "tool_search_output"],
]);
const NAMED: ReadonlySet<unknown> = new Set(["message", "function_call", "custom_tool_call"]);

/** An item of the input. `own`: it is the provider's, under its own id. */
export interface ItemDraft {
  readonly body: Json;
  readonly pointer: string;
  readonly own: boolean;
}

/** Keeps of each turn's items what can go back, and of ids those that the input has not yet. */
export class Together {
  readonly #sent = new Set<string>();

  constructor(
    readonly notes: Notes,
    readonly isStored: boolean,
  ) {}

  kept(drafts: readonly ItemDraft[]): ItemDraft[] {
    return this.#withoutRepeats(this.#withoutDangling(this.#withoutUnpaired(drafts)));
  }

  /** Leaves out calls of built-in tools that wait for an output. */
  #withoutUnpaired(drafts: readonly ItemDraft[]): ItemDraft[] {
    const found = new Set(drafts.map(({ body }) => pairKey(own(body, "type"), body)));
    return drafts.filter((draft) => {
      const { body } = draft;
      const output = PAIRED.get(String(own(body, "type")));
      const waits = body["type"] === "tool_search_call" ? body["execution"] === "client" : true;
      if (output === undefined || !waits || found.has(pairKey(output, body))) return true;
      this.#noteDangling(draft, "The call of a built-in tool goes back with its output");
      return false;
    });
  }

  /**
   * Leaves out reasoning without its next item, and what a provider does not keep. An item whose
   * reasoning is missing goes without its id: by it the provider would ask.
   */
  #withoutDangling(drafts: readonly ItemDraft[]): ItemDraft[] {
    const leading = leadingIn(drafts);
    let isLost = false;
    return drafts.flatMap((draft): ItemDraft[] => {
      if (!isReasoning(draft)) return [isLost ? withoutId(draft) : draft];
      isLost = !this.isStored && !isReadable(draft.body);
      if (isLost) this.#noteDangling(draft, "Reasoning that is neither stored nor encrypted cannot go back");
      else if (leading.has(draft)) return [draft];
      else this.#noteDangling(draft, "Reasoning goes back with the item that it led to");
      return [];
    });
  }

  /**
   * Leaves out ids that the input has already, as where an answer stands in it twice. What cannot go
   * without its id is left out; what reasoning led to follows it.
   */
  #withoutRepeats(drafts: readonly ItemDraft[]): ItemDraft[] {
    let isLost = false;
    return drafts.flatMap((draft): ItemDraft[] => {
      const id = own(draft.body, "id");
      const repeats = typeof id === "string" && this.#sent.has(id);
      if (typeof id === "string") this.#sent.add(id);
      if (isReasoning(draft)) isLost = repeats;
      if (repeats) {
        const message = "The provider takes an item once; it is sent without its id or left out";
        this.notes.add("encode/repeated-state", message, draft.pointer, { actual: id });
      }
      if (NAMED.has(own(draft.body, "type"))) return [repeats || isLost ? withoutId(draft) : draft];
      return repeats ? [] : [draft];
    });
  }

  #noteDangling({ body, pointer }: ItemDraft, message: string): void {
    this.notes.add("encode/dangling-state", message, pointer, { actual: String(body["type"]) });
  }
}

const pairKey = (type: unknown, body: Json): string => JSON.stringify([type, worded(own(body, "call_id"))]);

const isReasoning = ({ body }: ItemDraft): boolean => own(body, "type") === "reasoning";

/** Returns the reasoning that an item of the provider's own follows. */
function leadingIn(drafts: readonly ItemDraft[]): Set<ItemDraft> {
  const leading = new Set<ItemDraft>();
  let leads = false;
  for (const draft of [...drafts].reverse()) {
    if (!isReasoning(draft)) leads = draft.own;
    else if (leads) leading.add(draft);
  }
  return leading;
}

/** Tells whether reasoning says all by itself: encrypted, or as it was thought. */
function isReadable(reasoning: Json): boolean {
  return saysAnything(own(reasoning, "encrypted_content")) || saysAnything(own(reasoning, "content"));
}

function withoutId(draft: ItemDraft): ItemDraft {
  const { id: _, ...body } = draft.body;
  if (own(body, "type") !== "message") return { ...draft, body };
  const parts = body["content"] as Json[];
  const content = parts.map((part) => (own(part, "text") ?? own(part, "refusal") ?? "") as string).join("");
  const phase = Object.hasOwn(body, "phase") ? { phase: body["phase"] } : {};
  return { ...draft, body: { role: "assistant", content, ...phase } };
}

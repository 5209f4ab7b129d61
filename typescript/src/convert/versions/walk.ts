/**
 * Takes a document from one version's members to another's, led by both schemas. What both versions name
 * is taken over; what the target does not name goes, and is noted. Steps add hooks for the definitions
 * that take more than that.
 */
import { bindingOf } from "../../contract/catalog.js";
import type { FamilyData, Node, ObjectNode } from "../../contract/nodes.js";
import { MEMBER_CODES, MIGRATION_LOSSES, type MigrationCode } from "../../generated/tables/losses.js";
import { carryDigits } from "../../json/digits.js";
import { escapePointer } from "../../json/text.js";
import { isObject, own, put } from "../../json/values.js";
import { kindOf } from "../../reading/explain.js";
import { LossLog } from "../losses.js";

export type Json = Record<string, unknown>;

/** Given the walk, an object of the definition and its pointer, returns what the target has. */
export type Hook = (walk: Walk, value: Json, pointer: string) => unknown;
/** By definition. */
export type Hooks = Readonly<Record<string, Hook>>;

/** A node that is not a reference, and the definition that it is. */
interface Place {
  readonly node: Exclude<Node, { t: "ref" }> | undefined;
  readonly name: string;
}

const NOWHERE: Place = { node: undefined, name: "" };

/**
 * One walk over one document of a type, which is valid; `log` has the losses. The document is not
 * changed; what is the same in both versions may be shared with the result.
 */
export class Walk {
  readonly log = new LossLog<MigrationCode>(MIGRATION_LOSSES);
  /** By the pointer of what is elsewhere now, the one that it had; where any are. */
  readonly moved = new Map<string, string>();
  readonly #data: FamilyData;
  readonly #target: FamilyData;
  readonly #hooks: Hooks;

  constructor(type: string, source: string, target: string, hooks: Hooks) {
    this.#data = bindingOf(type, source).data;
    this.#target = bindingOf(type, target).data;
    this.#hooks = hooks;
  }

  /** Returns `value`, of the definition `name`, as the target has it. */
  walk(value: unknown, name: string, pointer = ""): unknown {
    return this.#walk(value, { t: "ref", n: name }, pointer);
  }

  /** Returns an object of the definition `name` as the target has it, without its hook. */
  members(value: Json, name: string, pointer: string): Json {
    const { node } = this.#resolved({ t: "ref", n: name });
    return node?.t === "object" ? this.#members(value, node, name, pointer) : value;
  }

  /**
   * Returns an object of the union `name` as the target has it, without the union's hook. A variant that
   * the version does not know was read tolerantly, and stays as it is.
   */
  variant(value: Json, name: string, pointer: string): unknown {
    const { node } = this.#resolved({ t: "ref", n: name });
    if (node?.t !== "union") return value;
    const tag = own(value, node.k);
    const variant = node.v.find(([known]) => known === tag)?.[1];
    return variant === undefined ? value : this.#object(value, this.#resolved({ t: "ref", n: variant }), pointer);
  }

  #resolved(given: Node): Place {
    let name = "";
    let node: Node | undefined = given;
    while (node?.t === "ref") {
      name = node.n;
      node = own(this.#data, name) as Node | undefined;
    }
    return { node, name };
  }

  #walk(value: unknown, given: Node, pointer: string): unknown {
    const isArray = Array.isArray(value);
    if (!isArray && !isObject(value)) return value;
    const place = this.#alternative(this.#resolved(given), value);
    if (!isArray) return this.#object(value, place, pointer);
    if (place.node?.t !== "array") return value;
    const { i: items } = place.node;
    return value.map((item: unknown, index) => this.#walk(item, items, `${pointer}/${index}`));
  }

  /** Returns the node by which a value is to be taken. */
  #alternative(place: Place, value: unknown): Place {
    const { node } = place;
    if (node?.t !== "choice") return place;
    const kind = kindOf(value);
    const member = node.m.find(([kinds]) => kind !== undefined && kinds.includes(kind));
    return member === undefined ? NOWHERE : this.#resolved(member[1]);
  }

  #object(value: Json, { node, name }: Place, pointer: string): unknown {
    const hook = own(this.#hooks, name) as Hook | undefined;
    if (hook !== undefined) return hook(this, value, pointer);
    switch (node?.t) {
      case "union":
        return this.variant(value, name, pointer);
      case "map": {
        const members = Object.entries(value).map(([key, member]) => {
          return [key, this.#walk(member, node.i, `${pointer}/${escapePointer(key)}`)] as const;
        });
        return Object.fromEntries(members);
      }
      case "object":
        return this.#members(value, node, name, pointer);
      default:
        return value;
    }
  }

  #members(value: Json, node: ObjectNode, name: string, pointer: string): Json {
    const kept = own(this.#target, name) as Node | undefined;
    const made: Json = {};
    carryDigits(made, value);
    for (const [key, member] of Object.entries(value)) {
      const inner = node.m.find(([known]) => known === key)?.[1];
      const place = `${pointer}/${escapePointer(key)}`;
      const code = inner === undefined || hasMember(kept, key) ? undefined : (MEMBER_CODES.get(key) as MigrationCode);
      if (code !== undefined) this.log.note(code, place);
      else if (inner !== undefined) put(made, key, this.#walk(member, inner, place));
      else if (node.x === 1) put(made, key, member);
      else this.log.note("unknown-member", place);
    }
    return made;
  }
}

/** Tells whether the target's definition has a member; a hook sees to what it does not have at all. */
function hasMember(kept: Node | undefined, key: string): boolean {
  return kept?.t !== "object" || kept.x === 1 || kept.m.some(([known]) => known === key);
}

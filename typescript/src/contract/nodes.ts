/** The form of the generated schema data: what a value may be, as small objects. */
import type { Severity } from "../errors.js";

export type Kind = "string" | "number" | "boolean" | "array" | "object";

/** Another type of the family. */
export interface RefNode {
  readonly t: "ref";
  readonly n: string;
}
/** Lengths in code points; `p` is a pattern, `w` says it in words. */
export interface StringNode {
  readonly t: "string";
  readonly min?: number;
  readonly max?: number;
  readonly p?: string;
  readonly w?: string;
}
/** One of `v`; `d` is what tolerant reading makes of any other string. */
export interface EnumNode {
  readonly t: "enum";
  readonly v: readonly string[];
  readonly d?: string;
}
export interface ConstNode {
  readonly t: "const";
  readonly v: string;
}
export interface NumberNode {
  readonly t: "integer" | "number";
  readonly min?: number;
  readonly max?: number;
}
export interface BooleanNode {
  readonly t: "boolean";
}
export interface ArrayNode {
  readonly t: "array";
  readonly i: Node;
  readonly min?: number;
}
/** Free names, one kind of value. */
export interface MapNode {
  readonly t: "map";
  readonly i: Node;
}
/** Any object. */
export interface FreeNode {
  readonly t: "free";
}
/** Any array. */
export interface FreeArrayNode {
  readonly t: "freeArray";
}
/**
 * `m`: name, node and 1 where it is required. `x`: 1 where other members are kept. `one`: of each
 * group of names exactly one is present. `any`: of these one at least is present. `r`: rules of meaning.
 */
export interface ObjectNode {
  readonly t: "object";
  readonly m: readonly (readonly [string, Node, 0 | 1])[];
  readonly x?: 1;
  readonly one?: readonly (readonly string[])[];
  readonly any?: readonly string[];
  readonly r?: readonly Rule[];
}
/** Distinguished by the member `k`; `v`: its value and the type. */
export interface UnionNode {
  readonly t: "union";
  readonly k: string;
  readonly v: readonly (readonly [string, string])[];
}
/** Distinguished by JSON type. */
export interface ChoiceNode {
  readonly t: "choice";
  readonly m: readonly (readonly [readonly Kind[], Node])[];
}

export type Node =
  | RefNode
  | StringNode
  | EnumNode
  | ConstNode
  | NumberNode
  | BooleanNode
  | ArrayNode
  | MapNode
  | FreeNode
  | FreeArrayNode
  | ObjectNode
  | UnionNode
  | ChoiceNode;

interface RuleHead {
  readonly rule: string;
  readonly severity: Severity;
}
interface KeyRule extends RuleHead {
  readonly items: string;
  readonly key: string;
}

/** A rule of meaning; pointers are relative to the object that it is on. */
export type Rule =
  | (RuleHead & {
      readonly op: "tag-table";
      readonly tag: string;
      readonly items: string;
      readonly itemTag: string;
      readonly table: Readonly<Record<string, readonly string[]>>;
    })
  | (KeyRule & { readonly op: "unique"; readonly where?: readonly [string, string] })
  | (KeyRule & { readonly op: "items-equal"; readonly to: string })
  | (KeyRule & { readonly op: "items-same" })
  | (RuleHead & { readonly op: "not-less"; readonly value: string; readonly than: string })
  | (RuleHead & {
      readonly op: "present-when";
      readonly when: readonly [string, string | boolean | number];
      readonly member: string;
    });

/** The types of one family by name. */
export type FamilyData = Readonly<Record<string, Node>>;

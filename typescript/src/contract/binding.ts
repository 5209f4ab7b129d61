/** A type with the code that was generated for it. */
import { own } from "../json/values.js";
import type { FamilyData, Node } from "./nodes.js";

export type Verdict = (value: unknown) => boolean;

/** A type, bound to its generated code. */
export interface Binding {
  readonly name: string;
  readonly data: FamilyData;
  /** What ajv's code says of the shape of a value; without it the walk along the schema alone decides. */
  readonly verdict?: Verdict;
  /** Whether rules of meaning are on the type, or below it. */
  readonly hasRules: boolean;
}

/** Returns the binding of a type, which has to be one of the family. */
export function bind(name: string, data: FamilyData, verdict?: Verdict): Binding {
  return { name, data, ...(verdict && { verdict }), hasRules: holdsRules(data, { t: "ref", n: name }, new Set()) };
}

function holdsRules(data: FamilyData, node: Node, seen: Set<string>): boolean {
  const inside = (inner: Node): boolean => holdsRules(data, inner, seen);
  switch (node.t) {
    case "ref": {
      const target = own(data, node.n) as Node | undefined;
      if (target === undefined || seen.has(node.n)) return false;
      seen.add(node.n);
      return inside(target);
    }
    case "object":
      return node.r !== undefined || node.m.some(([, inner]) => inside(inner));
    case "union":
      return node.v.some(([, name]) => inside({ t: "ref", n: name }));
    case "choice":
      return node.m.some(([, inner]) => inside(inner));
    case "array":
    case "map":
      return inside(node.i);
    default:
      return false;
  }
}

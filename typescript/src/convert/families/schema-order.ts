/** Documents with their members in the order of the schema: text of them is the same everywhere. */

import type { FamilyData, Node, ObjectNode } from "../../contract/nodes.js";
import { isObject, own, put } from "../../json/values.js";
import { kindOf, resolve } from "../../reading/explain.js";

/** Returns a valid value of `node` with the members of all that it holds in the schema's order. */
export function inSchemaOrder(data: FamilyData, node: Node, value: unknown): unknown {
  const found = memberFor(data, node, value);
  if (Array.isArray(value)) {
    return found?.t === "array" ? value.map((item) => inSchemaOrder(data, found.i, item)) : value;
  }
  if (!isObject(value) || found === undefined) return value;
  if (found.t === "union") {
    const tag = own(value, found.k);
    const name = found.v.find(([known]) => known === tag)?.[1];
    return name === undefined ? value : inSchemaOrder(data, { t: "ref", n: name }, value);
  }
  return found.t === "object" ? ordered(data, found, value) : value;
}

function memberFor(data: FamilyData, node: Node, value: unknown): Exclude<Node, { t: "ref" }> | undefined {
  const found = resolve(data, node);
  if (found.t !== "choice") return found;
  const kind = kindOf(value);
  const member = found.m.find(([kinds]) => kind !== undefined && kinds.includes(kind));
  return member === undefined ? undefined : resolve(data, member[1]);
}

function ordered(data: FamilyData, node: ObjectNode, value: Record<string, unknown>): unknown {
  const made: Record<string, unknown> = {};
  for (const [name, inner] of node.m) {
    if (Object.hasOwn(value, name)) put(made, name, inSchemaOrder(data, inner, value[name]));
  }
  for (const [name, member] of Object.entries(value)) if (!Object.hasOwn(made, name)) put(made, name, member);
  return made;
}

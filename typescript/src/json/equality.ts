import { isObject, own } from "./values.js";

/** Tells whether two JSON values are equal; members have no order. */
export function sameJson(one: unknown, other: unknown): boolean {
  const todo: [unknown, unknown][] = [[one, other]];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [a, b] = pair;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (const [index, item] of a.entries()) todo.push([item, b[index]]);
    } else if (isObject(a) && isObject(b)) {
      const names = Object.keys(a);
      if (names.length !== Object.keys(b).length || !names.every((name) => Object.hasOwn(b, name))) return false;
      for (const name of names) todo.push([own(a, name), own(b, name)]);
    } else if (a !== b) {
      return false;
    }
  }
  return true;
}

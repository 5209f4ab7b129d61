/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** Any JSON object; a member named `__proto__` is data like any other. */
export interface JsonObject {
  [name: string]: JsonValue;
}

/** Tells whether a value is an object of JSON: made by a literal, by `JSON.parse`, or bare. */
export function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  // Of another realm: its Object.prototype is the one that has no prototype.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}

/** Puts a member as data: an assignment to `__proto__` would change the prototype instead. */
export function put(target: object, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (target as Record<string, unknown>)[name] = value;
  }
}

/** Returns an own member, or undefined; never what an object inherits. */
export function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** Which type of the contract a value may be. */

import { PartwireError, type TypeName, validate } from "partwire";
import { isObject } from "../../../src/json/values.js";
import { membersOf, placeOf, TYPES } from "./places.js";

/** What is looked at of a list. */
const MOST = 20;
/** Types that any object, or nearly any, is: they say nothing. */
const SAY_LITTLE = 2;
/** What a type has to name of a value's members, where it refuses the value. */
const NEAR = 0.7;
const MOST_NAMED = 3;

/**
 * Returns the types that accept a value, the one that names most of its members first; of a list, those that
 * accept its first items, such as `message.Message[]`. Free forms are left out.
 */
export function fittingTypes(value: unknown): string[] {
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST);
    const [first] = items;
    const types = first === undefined || Array.isArray(first) ? [] : fittingTypes(first);
    return types.filter((type) => items.every((item) => isValid(type, item))).map((type) => `${type}[]`);
  }
  return known(value).flatMap(({ type }) => (isValid(type, value) ? [type] : []));
}

/** Returns the type that a value was most likely meant to be, though it is refused; undefined where none is near. */
export function nearestType(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST);
    const rows = fittingTypes(items[0]).map((type) => ({
      type,
      fits: items.filter((item) => isValid(type, item)).length,
    }));
    const [most] = rows.sort((one, other) => other.fits - one.fits);
    const item = most?.type ?? (Array.isArray(items[0]) ? undefined : nearestType(items[0]));
    return item === undefined ? undefined : `${item}[]`;
  }
  const [nearest] = known(value);
  return nearest === undefined || nearest.share < NEAR || nearest.count < MOST_NAMED ? undefined : nearest.type;
}

/** Returns the types that name members of a value, the one that names most of them first. */
function known(value: unknown): { type: string; count: number; share: number }[] {
  if (!isObject(value)) return [];
  const all = Object.keys(value).length;
  return Object.values(TYPES)
    .flat()
    .flatMap((type) => {
      const place = placeOf(type);
      const names = place === undefined ? [] : membersOf(place, value);
      const count = names.filter((name) => Object.hasOwn(value, name)).length;
      return count < Math.min(SAY_LITTLE, all) || count === 0 ? [] : [{ type, count, share: count / all }];
    })
    .sort((one, other) => other.count - one.count);
}

function isValid(type: string, value: unknown): boolean {
  try {
    return !validate(value, type as TypeName).some(({ severity }) => severity === "error");
  } catch (error) {
    if (error instanceof PartwireError) return false;
    throw error;
  }
}

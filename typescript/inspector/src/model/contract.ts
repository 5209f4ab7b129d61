/** What the contract says in words: opened when it is first wanted, and looked up by place. */

import packed from "virtual:contract";
import { own } from "../../../src/json/values.js";
import type { ContractText, TypeText } from "../../contract-data.js";
import { constraintsOf, type Place, shapeAt, typesAt } from "./places.js";
import { base64, gunzip } from "./sources.js";

let opening: Promise<ContractText> | undefined;

/** Returns the texts of the contract. */
export function contractText(): Promise<ContractText> {
  opening ??= gunzip(base64(packed)).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as ContractText);
  return opening;
}

/** What it says of one place of a document. */
export interface About {
  /** The type of the value, with its family. */
  readonly type?: string;
  readonly description?: string;
  readonly required?: boolean;
  /** The first version that has the member, or else the type, where that is not the first of all. */
  readonly since?: string;
  readonly constraints: readonly string[];
}

/** Returns what is known of a value at a place: the member's own description before that of its type. */
export function aboutPlace(place: Place, value: unknown, { types }: ContractText): About {
  const { family, owner, member, required } = place;
  const texts = own(types, family) as Readonly<Record<string, TypeText>> | undefined;
  const { type } = shapeAt(place, value);
  const text = (name: string | undefined): TypeText | undefined =>
    name === undefined ? undefined : (own(texts ?? {}, name) as TypeText | undefined);
  const ofMember = member === undefined ? undefined : (own(text(owner)?.members ?? {}, member) as TypeText | undefined);
  const named = [ofMember, ...(type === undefined ? [] : [text(type)]), ...typesAt(place).map(text)];
  const description = named.find((each) => each?.description !== undefined)?.description;
  const since = [ofMember?.since, text(type)?.since].find((each) => each !== undefined);
  return {
    ...(type === undefined ? {} : { type: `${family}.${type}` }),
    ...(description === undefined ? {} : { description }),
    ...(required === undefined ? {} : { required }),
    ...(since === undefined ? {} : { since }),
    constraints: constraintsOf(place, value).filter((words) => words !== description),
  };
}

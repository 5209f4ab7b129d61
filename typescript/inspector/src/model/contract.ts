/** What the contract says in words; opened when it is first wanted. */

import packed from "virtual:contract";
import type { ContractText } from "../../contract-data.js";
import { base64, gunzip } from "./sources.js";

let opening: Promise<ContractText> | undefined;

/** Returns the texts of the contract. */
export function contractText(): Promise<ContractText> {
  opening ??= gunzip(base64(packed)).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as ContractText);
  return opening;
}

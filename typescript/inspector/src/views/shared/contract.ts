/** What the contract says, for views: opened once one of them wants it. */

import { useEffect, useState } from "preact/hooks";
import type { ContractText } from "../../../contract-data.js";
import { contractText } from "../../model/contract.js";

let known: ContractText | undefined;

/** Returns the texts of the contract; undefined until they are open, and as long as nobody wants them. */
export function useContract(isWanted = true): ContractText | undefined {
  const [text, setText] = useState(known);
  useEffect(() => {
    if (!isWanted || text !== undefined) return;
    let isOver = false;
    void contractText().then((opened) => {
      known = opened;
      if (!isOver) setText(opened);
    });
    return () => {
      isOver = true;
    };
  }, [isWanted, text]);
  return text;
}

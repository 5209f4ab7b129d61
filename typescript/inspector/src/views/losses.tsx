/** What a conversion could not carry over. */

import { useMemo } from "preact/hooks";
import { grouped } from "../model/groups.js";
import { numberWords } from "../model/numbers.js";
import type { SourceLoss } from "../model/sources.js";
import { useContract } from "./shared/contract.js";
import { Visible } from "./shared/visible.js";

const MOST_PLACES = 5;

/** Losses by their code, each with what it means and some of its places. */
export function Losses({ losses }: { readonly losses: readonly SourceLoss[] }) {
  const contract = useContract();
  const byCode = useMemo(() => [...grouped(losses, ({ code }) => code)], [losses]);
  return (
    <ul class="losses">
      {byCode.map(([code, all]) => (
        <li key={code}>
          <span class={`mark ${all[0]?.severity === "lossy" ? "warning" : ""}`}>{all[0]?.severity}</span>{" "}
          <span class="rule">{code}</span> {contract?.losses[code]?.[1]} ({numberWords(all.length)})
          <ul>
            {all.slice(0, MOST_PLACES).map(({ pointer, detail }, index) => (
              <li key={index}>
                <Visible text={detail === undefined ? pointer : `${pointer} ${detail}`} most={200} />
              </li>
            ))}
            {all.length > MOST_PLACES && <li class="quiet">…</li>}
          </ul>
        </li>
      ))}
    </ul>
  );
}

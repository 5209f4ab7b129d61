/** Implementations and suites as a matrix, and the runs that have not passed. */

import { useMemo, useState } from "preact/hooks";
import { numberWords } from "../../model/numbers.js";
import { type Counts, type Implementation, matrixOf } from "../../model/report.js";
import { Pager } from "../shared/pager.js";
import { Visible } from "../shared/visible.js";

const ORDER = ["failed", "errored", "known", "skipped", "passed"];
const MARKS: Readonly<Record<string, string>> = { failed: "error", errored: "error", known: "warning", passed: "good" };

export function ConformanceView({ implementations }: { readonly implementations: readonly Implementation[] }) {
  const { columns, rows } = useMemo(() => matrixOf(implementations), [implementations]);
  return (
    <>
      {implementations.map(
        ({ name, problem }, index) =>
          problem !== undefined && (
            <p key={index}>
              <span class="mark error">not asked</span> <Visible text={`${name}: ${problem}`} most={600} />
            </p>
          ),
      )}
      <div class="scroll">
        <table class="data matrix">
          <thead>
            <tr>
              <th scope="col">suite</th>
              {columns.map((name, index) => (
                <th key={index} scope="col">
                  <Visible text={name} most={60} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ suite, cells }) => (
              <tr key={suite}>
                <th scope="row">
                  <Visible text={suite} most={60} />
                </th>
                {cells.map((counts, index) => (
                  <td key={index}>
                    <CountsView counts={counts} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">all</th>
              {implementations.map(({ counts }, index) => (
                <td key={index}>
                  <CountsView counts={counts} />
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      {implementations.map((implementation, index) => (
        <Runs key={index} implementation={implementation} />
      ))}
    </>
  );
}

function CountsView({ counts }: { readonly counts: Counts | undefined }) {
  const known = ORDER.filter((status) => (counts?.[status] ?? 0) > 0);
  if (known.length === 0) return <span class="quiet">not run</span>;
  return (
    <>
      {known.map((status) => (
        <span key={status} class={`mark ${MARKS[status] ?? ""}`}>
          {numberWords(counts?.[status] ?? 0)} {status}
        </span>
      ))}
    </>
  );
}

const PAGE = 50;

function Runs({ implementation: { name, runs } }: { readonly implementation: Implementation }) {
  const [page, setPage] = useState(0);
  const wrong = useMemo(() => runs.filter(({ status }) => status === "failed" || status === "errored"), [runs]);
  if (wrong.length === 0) return null;
  return (
    <section>
      <h3>
        Not passed by <Visible text={name} most={100} /> ({numberWords(wrong.length)})
      </h3>
      <Pager noun="Runs" count={wrong.length} size={PAGE} page={page} onPage={setPage} />
      <ul class="runs">
        {wrong.slice(page * PAGE, (page + 1) * PAGE).map(({ run, status, detail, known }, index) => (
          <li key={index}>
            <span class={`mark ${known === undefined ? "error" : "warning"}`}>
              {known === undefined ? status : "known"}
            </span>{" "}
            <span class="rule">
              <Visible text={run} most={200} />
            </span>{" "}
            {detail !== undefined && <Visible text={detail} most={600} />}
            {known !== undefined && (
              <>
                {" "}
                may fail: <Visible text={known} most={300} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

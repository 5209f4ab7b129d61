/** A comparison of schemas: verdicts, the changes behind them, and a document for each break that shows it. */

import type { Severity } from "partwire";
import { useMemo, useState } from "preact/hooks";
import { numberWords } from "../../model/numbers.js";
import { type Change, type Comparison, changesOf, type Refusal, type Spot, type Verdict } from "../../model/report.js";
import { FindingNote } from "../findings.js";
import { JsonTree } from "../json.js";
import { Visible } from "../shared/visible.js";

export function CompatView({ comparisons }: { readonly comparisons: readonly Comparison[] }) {
  return (
    <>
      {comparisons.map((comparison, index) => (
        <ComparisonView key={index} comparison={comparison} />
      ))}
    </>
  );
}

const STATUS_MARKS: Readonly<Record<string, string>> = { compatible: "good", breaking: "error", unproven: "warning" };

function ComparisonView({ comparison }: { readonly comparison: Comparison }) {
  const { old, bump, verdicts, changes, notes } = comparison;
  const notable = verdicts.filter(({ status }) => status !== "compatible");
  return (
    <section>
      <h3>
        <Visible text={old} most={200} /> → <Visible text={comparison.new} most={200} />
      </h3>
      <p>
        {bump === "none" ? "This asks for no new version. " : `This asks for a new ${bump} version. `}
        {verdicts.length - notable.length} of {verdicts.length} entry points stay compatible.
      </p>
      {notable.map((verdict, index) => (
        <VerdictView key={index} verdict={verdict} comparison={comparison} />
      ))}
      <Changes title="Changes" changes={changes} severity="error" />
      <Changes title="Changes that break nobody" changes={notes} severity="info" />
      <details>
        <summary>All verdicts ({verdicts.length})</summary>
        <div class="scroll">
          <table class="data">
            <thead>
              <tr>
                <th scope="col">entry point</th>
                <th scope="col">direction</th>
                <th scope="col">status</th>
              </tr>
            </thead>
            <tbody>
              {verdicts.map(({ entrypoint, direction, status, accepted }, index) => (
                <tr key={index}>
                  <th scope="row">
                    <Visible text={entrypoint} most={100} />
                  </th>
                  <td>{direction}</td>
                  <td>
                    <span class={`mark ${STATUS_MARKS[status] ?? ""}`}>{status}</span>
                    {accepted === true && " accepted"}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

interface VerdictProps {
  readonly verdict: Verdict;
  readonly comparison: Comparison;
}

function VerdictView({ verdict, comparison }: VerdictProps) {
  const { entrypoint, status, direction, accepted, hidden, witness, refusals = [], open = [] } = verdict;
  const changes = changesOf(verdict, comparison);
  return (
    <article class="verdict">
      <h4>
        <Visible text={entrypoint} most={100} /> <span class={`mark ${STATUS_MARKS[status] ?? ""}`}>{status}</span>{" "}
        <span class="quiet">{direction}</span> {accepted === true && <span class="mark">accepted</span>}
      </h4>
      {changes.map((change) => (
        <ChangeView key={change.fingerprint} change={change} severity="error" />
      ))}
      {hidden !== undefined && (
        <p class="quiet">
          <Visible text={hidden} />
        </p>
      )}
      {open.map(({ pointer, reason }, index) => (
        <p key={index}>
          <span class="mark warning">not proved</span> <Visible text={`${pointer}: ${reason}`} most={400} />
        </p>
      ))}
      {witness !== undefined && <Witness witness={witness} refusals={refusals} direction={direction} />}
    </article>
  );
}

interface WitnessProps {
  readonly witness: unknown;
  readonly refusals: readonly Refusal[];
  readonly direction: Verdict["direction"];
}

/** The document that one side allows and the other refuses, with the places at which it does. */
function Witness({ witness, refusals, direction }: WitnessProps) {
  const [chosen, setChosen] = useState(0);
  const [giver, taker] = direction === "backward" ? ["old", "new"] : ["new", "old"];
  const findings = useMemo(
    () =>
      refusals.map(({ instance, message }) => ({
        rule: "compat/breaking",
        message: `the ${taker} schema: ${message}`,
        pointer: instance,
        severity: "error" as const,
      })),
    [refusals, taker],
  );
  return (
    <>
      <p>
        The <b>{giver}</b> schema allows this document, and the <b>{taker}</b> one refuses it:
      </p>
      <JsonTree value={witness} findings={findings} highlight={refusals[chosen]?.instance} label="Witness" />
      <ul class="refusals">
        {refusals.map(({ instance, schema, document, message }, index) => (
          <li key={index}>
            <button type="button" class="small" aria-pressed={index === chosen} onClick={() => setChosen(index)}>
              <Visible text={instance === "" ? "the whole" : instance} most={100} />
            </button>{" "}
            <Visible text={message} most={400} />{" "}
            <span class="rule">
              <Visible text={`${document}#${schema}`} most={300} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const MOST = 50;

interface ChangesProps {
  readonly title: string;
  readonly changes: readonly Change[];
  readonly severity: Severity;
}

function Changes({ title, changes, severity }: ChangesProps) {
  const [most, setMost] = useState(MOST);
  if (changes.length === 0) return null;
  return (
    <details open={changes.length <= MOST}>
      <summary>
        {title} ({numberWords(changes.length)})
      </summary>
      {changes.slice(0, most).map((change) => (
        <ChangeView key={change.fingerprint} change={change} severity={severity} />
      ))}
      {changes.length > most && (
        <button type="button" class="small" onClick={() => setMost(most + MOST)}>
          {numberWords(changes.length - most)} more
        </button>
      )}
    </details>
  );
}

function ChangeView({ change, severity }: { readonly change: Change; readonly severity: Severity }) {
  const { rule, message, direction, bump, pointer, accepted } = change;
  return (
    <div class="change-row">
      <FindingNote finding={{ rule, message, pointer, severity: accepted === null ? severity : "info" }} />
      <p class="aside">
        {direction}, {bump}: <Visible text={spotText(change.old) ?? "nowhere"} most={200} /> →{" "}
        <Visible text={spotText(change.new) ?? "nowhere"} most={200} />
        {accepted !== null && (
          <>
            {" "}
            <span class="mark">accepted</span> <Visible text={accepted} most={300} />
          </>
        )}
      </p>
    </div>
  );
}

function spotText(spot: Spot | null): string | undefined {
  if (spot === null) return undefined;
  const file = [spot.source, spot.line].filter((each) => each !== undefined).join(":");
  return `${file}#${spot.pointer}`;
}

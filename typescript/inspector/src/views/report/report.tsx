/** The report of a command: what it found, and what it says besides. */

import { useMemo } from "preact/hooks";
import { isObject } from "../../../../src/json/values.js";
import { grouped } from "../../model/groups.js";
import { type Comparison, type Implementation, type Report, reportOf } from "../../model/report.js";
import { FindingList } from "../findings.js";
import { JsonTree } from "../json.js";
import { type Tab, Tabs } from "../shared/tabs.js";
import { Visible } from "../shared/visible.js";
import { CompatView } from "./compat.js";
import { ConformanceView } from "./conformance.js";
import "./report.css";
import { countOf, numberWords } from "../../model/numbers.js";
import { Fact } from "../shared/fact.js";

export function ReportView({ report: given }: { readonly report: Readonly<Record<string, unknown>> }) {
  const report = useMemo(() => reportOf(given), [given]);
  const details: Tab[] = tabsOf(report);
  const { findings } = report;
  const tabs: Tab[] = [
    ...details,
    {
      label: `Findings (${numberWords(findings.length)})`,
      content: () => <Files report={report} />,
    },
    { label: "Statistics", content: () => <Statistics report={report} /> },
    { label: "Report", content: () => <JsonTree value={given} label="Report" /> },
  ];
  return (
    <main class="documents report">
      <Head report={report} />
      <Tabs label="Views of the report" tabs={tabs} />
    </main>
  );
}

function tabsOf({ command, details }: Report): Tab[] {
  if (!isObject(details)) return [];
  if (command === "compat" && Array.isArray(details["reports"])) {
    const reports = details["reports"] as readonly Comparison[];
    return [{ label: "Comparison", content: () => <CompatView comparisons={reports} /> }];
  }
  if (command === "conformance" && Array.isArray(details["implementations"])) {
    const implementations = details["implementations"] as readonly Implementation[];
    return [{ label: "Suites", content: () => <ConformanceView implementations={implementations} /> }];
  }
  return [{ label: "Details", content: () => <JsonTree value={details} label="Details" /> }];
}

function Head({ report }: { readonly report: Report }) {
  const { command, tool, contract, passed } = report;
  const figures = ["sources", "documents", "errors", "warnings", "infos", "ignored", "accepted", "unreadable"] as const;
  return (
    <>
      <h2>
        partwire <Visible text={String(command)} most={50} />{" "}
        <span class={`mark ${passed ? "good" : "error"}`}>{passed ? "passed" : "not passed"}</span>
      </h2>
      <dl class="figures">
        {figures.map(
          (name) =>
            typeof report[name] === "number" &&
            (report[name] > 0 || ["sources", "documents", "errors", "warnings"].includes(name)) && (
              <Fact key={name} name={name}>
                {numberWords(report[name])}
              </Fact>
            ),
        )}
        <Fact name="contract">
          {typeof contract === "string" ? <Visible text={contract} most={20} /> : "not named"}
        </Fact>
        <Fact name="version of the package">
          <Visible text={String(tool?.version)} most={30} />
        </Fact>
      </dl>
    </>
  );
}

function Files({ report: { findings, command } }: { readonly report: Report }) {
  // Each case of a conformance suite is a source.
  const files =
    command === "conformance"
      ? [["", findings.map(withoutSource)] as const]
      : [...grouped(findings, ({ source = "" }) => source)];
  if (files.length === 0) return <p class="quiet">Nothing was found.</p>;
  return (
    <>
      {files.map(([file, found]) => (
        <section key={file}>
          {file !== "" && (
            <h3>
              <Visible text={file} most={300} /> <span class="quiet">{countOf(found.length, "finding")}</span>
            </h3>
          )}
          <FindingList findings={found} />
        </section>
      ))}
    </>
  );
}

function withoutSource({ source: _, ...finding }: Report["findings"][number]): Report["findings"][number] {
  return finding;
}

function Statistics({ report: { statistics } }: { readonly report: Report }) {
  const rows = Object.entries(isObject(statistics) ? statistics : {}) as [string, number][];
  const most = Math.max(1, ...rows.map(([, count]) => count));
  if (rows.length === 0) return <p class="quiet">Nothing was found.</p>;
  return (
    <div class="scroll">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">rule</th>
            <th scope="col">findings</th>
            <th scope="col">share</th>
          </tr>
        </thead>
        <tbody>
          {rows
            .sort(([, one], [, other]) => other - one)
            .map(([rule, count]) => (
              <tr key={rule}>
                <th scope="row">
                  <Visible text={rule} most={100} />
                </th>
                <td class="figure">{numberWords(count)}</td>
                <td>
                  <meter class="share" min={0} max={most} value={count} aria-label={`${count} of ${rule}`} />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

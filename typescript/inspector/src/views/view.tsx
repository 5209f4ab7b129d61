/** Which view shows what was opened. */

import type { Opened, OpenedReport } from "../model/opened.js";
import type { Source } from "../model/sources.js";
import { DocumentView } from "./document.js";
import { HistoryView } from "./history/history.js";
import { JsonTree } from "./json.js";
import { ReportView } from "./report/report.js";
import { SessionView } from "./session/session.js";
import { Boundary } from "./shared/boundary.js";
import { StreamView } from "./stream/stream-view.js";

export interface ViewProps {
  readonly opened: Opened;
  readonly source: Source;
}

export function View({ opened, source }: ViewProps) {
  switch (opened.view) {
    case "stream":
      return <StreamView recording={opened.recording} source={source} />;
    case "history":
      return <HistoryView opened={opened} />;
    case "session":
      return <SessionView opened={opened} />;
    case "report":
      return (
        <Boundary otherwise={() => <OtherReport report={opened.report} />}>
          <ReportView report={opened.report} />
        </Boundary>
      );
    case "json":
      return <DocumentView value={opened.value} />;
    case "nothing":
      return (
        <main class="documents">
          <p>{opened.reason}</p>
        </main>
      );
  }
}

/** A report that has not the form of one: the view of reports knows no other. */
function OtherReport({ report }: Pick<OpenedReport, "report">) {
  return (
    <main class="documents">
      <p role="alert">
        This is not a report as <code>report.schema.json</code> has it. This is what it holds:
      </p>
      <JsonTree value={report} label="Report" />
    </main>
  );
}

/** Which view shows what was opened. */

import type { Opened } from "../model/opened.js";
import type { Source } from "../model/sources.js";
import { DocumentView } from "./document.js";
import { HistoryView } from "./history/history.js";
import { ReportView } from "./report/report.js";
import { SessionView } from "./session/session.js";
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
      return <ReportView report={opened.report} />;
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

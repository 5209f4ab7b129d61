/** Which view shows what was opened. */

import type { Opened } from "../model/opened.js";
import type { Source } from "../model/sources.js";

export interface ViewProps {
  readonly opened: Opened;
  readonly source: Source;
}

export function View({ opened }: ViewProps) {
  return (
    <main>
      <pre>{opened.view === "stream" ? `${opened.recording.steps.length} steps` : JSON.stringify(opened, null, 2)}</pre>
    </main>
  );
}

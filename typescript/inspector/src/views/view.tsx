/** Which view shows what was opened. */

import type { Opened } from "../model/opened.js";
import type { Source } from "../model/sources.js";
import { StreamView } from "./stream/stream-view.js";

export interface ViewProps {
  readonly opened: Opened;
  readonly source: Source;
}

export function View({ opened, source }: ViewProps) {
  if (opened.view === "stream") return <StreamView recording={opened.recording} source={source} />;
  return (
    <main>
      <pre>{JSON.stringify(opened, null, 2)}</pre>
    </main>
  );
}

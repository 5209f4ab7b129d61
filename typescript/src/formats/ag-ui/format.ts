/** AG-UI: its name and its versions. */

import type { Format } from "../core/format.js";

export const AG_UI: Format = {
  name: "ag-ui",
  title: "AG-UI 1.0, 1.1 and before: messages, the input of a run, the event stream",
  versions: ["1.0", "1.1"],
};

/** AI SDK: its name and its versions. */

import type { Format } from "../core/format.js";

export const AI_SDK: Format = {
  name: "ai-sdk",
  title: "Vercel AI SDK 4 to 7: UI messages, model messages, the UI message stream",
  versions: ["6", "5", "7"],
};

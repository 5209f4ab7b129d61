/** The page as a file, with what is open in it. */

import { embeddedText, type Source } from "../model/sources.js";
import { saveFile } from "../views/shared/files.js";

/** The page as it was loaded, before anything was shown in it. */
const pristine = document.documentElement.cloneNode(true) as HTMLElement;

/** Downloads the page with these sources inside: it opens without a server, as `partwire inspect --output` makes it. */
export async function savePage(sources: readonly Source[]): Promise<void> {
  const data = pristine.querySelector("#partwire-data");
  if (data !== null) data.textContent = await embeddedText(sources);
  saveFile(`${sources[0]?.name ?? "inspector"}.html`, `<!doctype html>\n${pristine.outerHTML}\n`, "text/html");
}

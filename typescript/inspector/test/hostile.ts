/** Input that wants to harm the page: what it would do shows as a fault, a request, or a changed global. */

import type { Page } from "playwright-core";
import type { Given } from "./browser.js";
import type { Sample } from "./samples.js";

/** What a careless page would run, load or trip over. */
export const SCRIPT =
  '</script><script>ran=1</script><img src="x:x" onerror="ran=1"><svg onload="ran=1"></svg>' +
  '<iframe srcdoc="<script>top.ran=1</script>"></iframe><style>@import "//evil.example/x.css"</style><!--';
const URLS = ["javascript:ran=1", "data:text/html,<script>opener.ran=1</script>", "//evil.example/x"];
const URL_MEMBERS = new Set(["url", "uri", "href", "link", "image_url"]);
/** Members whose words say what a value is: with others, nothing of it would be shown. */
const STRUCTURE = new Set(
  "as kind type role object event status command severity rule pointer timestamp mimeType mime surface direction".split(
    " ",
  ),
);
const MEMBERS = { [SCRIPT]: SCRIPT, constructor: SCRIPT, toString: SCRIPT, hasOwnProperty: null };

/** Returns a JSON value with hostile text in every string, and hostile members in every object. */
export function hostile(value: unknown, member = ""): unknown {
  if (typeof value === "string") {
    if (STRUCTURE.has(member)) return value;
    if (URL_MEMBERS.has(member)) return URLS[value.length % URLS.length];
    // Arguments of calls are JSON within a string.
    return (value.startsWith("{") ? hostileJson(value) : undefined) ?? `${value}${SCRIPT}`;
  }
  if (Array.isArray(value)) return value.map((each) => hostile(each));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [name, hostile(each, name)] as const);
  return Object.fromEntries([...members, ...Object.entries(MEMBERS)]);
}

/** Returns a sample of JSON, of JSON Lines or of events with JSON, with hostile text in all of it. */
export function hostileSample({ name, bytes, ...as }: Sample): Given {
  const text = new TextDecoder().decode(bytes);
  const changed =
    hostileJson(text) ?? text.replaceAll(/(?<=^(?:data: )?)[[{].*$/gm, (line) => hostileJson(line) ?? line);
  return { ...as, name: `${name}${SCRIPT}`, bytes: changed };
}

/** Returns a JSON text with hostile strings, and with a member that would be the object's prototype. */
function hostileJson(text: string): string | undefined {
  try {
    const changed = JSON.stringify(hostile(JSON.parse(text)));
    return changed.replace(/\}$/, ',"__proto__":{"ran":1,"toString":1}}');
  } catch {
    return undefined;
  }
}

/** What looking at a source has come to. */
export interface Seen {
  readonly name: string;
  /** What has run, or has come into the page, that must not. */
  readonly harm: readonly string[];
  readonly isShown: boolean;
}

/** Shows each source, each tab of its view, and what details hide; all in the page, as it is too much for clicks. */
export async function lookAround(page: Page): Promise<Seen[]> {
  return page.evaluate(async () => {
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const harm = (): string[] => {
      const found: string[] = [];
      if ("ran" in globalThis || "ran" in {}) found.push("a script has run");
      for (const each of document.querySelectorAll("iframe, object, embed, base, main script, main style, main link")) {
        found.push(each.outerHTML.slice(0, 100));
      }
      for (const { href } of document.querySelectorAll("a")) {
        if (!/^(https?|blob|data:image\/)/.test(href)) found.push(`a link to ${href}`);
      }
      for (const each of document.querySelectorAll("*")) {
        for (const { name } of each.attributes) if (name.startsWith("on")) found.push(`${each.tagName} has ${name}`);
      }
      return found;
    };
    const seen: { name: string; harm: string[]; isShown: boolean }[] = [];
    for (const file of document.querySelectorAll<HTMLElement>("nav[aria-label='Open files'] button")) {
      file.click();
      await drawn();
      let isShown = true;
      const found: string[] = [];
      const tabs = () => document.querySelectorAll<HTMLElement>("main [role=tab]");
      for (let tab = 0; tab === 0 || tab < tabs().length; tab++) {
        tabs()[tab]?.click();
        await drawn();
        for (const details of document.querySelectorAll<HTMLDetailsElement>("main details")) details.open = true;
        await drawn();
        found.push(...harm());
        const text = document.querySelector("main")?.textContent ?? "";
        isShown &&= text.trim() !== "" && !text.includes("This cannot be shown");
      }
      seen.push({ name: file.textContent ?? "", harm: found, isShown });
    }
    return seen;
  });
}

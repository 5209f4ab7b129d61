/** Everyone can use the page: each view in light and dark, on a phone, with a keyboard alone. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Given, hasBrowser, Inspector } from "./browser.js";
import { documents, example, type Sample } from "./samples.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const inspector = new Inspector();
const TRIP = example("trip-calls.sse");

const cut = TRIP.bytes.subarray(0, TRIP.bytes.length / 2);
/** The views of what may be open together, and what is then done to see each. */
const VIEWS: Readonly<Record<string, { readonly given: readonly Given[]; readonly buttons: readonly string[] }>> = {
  "an empty page": { given: [], buttons: ["Compare schemas"] },
  streams: {
    given: [example("mixed.jsonl"), example("recipe-invalid.sse"), { name: "cut.sse", bytes: cut }],
    buttons: ["Compare"],
  },
  documents: {
    given: [
      named("history", "unanswered-all"),
      named("message", "message.Message/valid/ids"),
      named("session", "approved-from-session"),
      named("report", "compat.json"),
      named("report", "conformance.json"),
      { name: "any.json", bytes: '{"a": [1, {"b": null}], "c": "d"}' },
      { name: "any.txt", bytes: "wind" },
    ],
    buttons: [],
  },
};

/** What changes with colours, and with the width; all else is the same in each mode. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
const OF_WIDTH = ["scrollable-region-focusable", "target-size"];
const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 720 };

function named(kind: string, name: string): Sample {
  const found = documents()[kind]?.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

/** Returns what axe finds in the page as it is: by these rules, or by all. */
async function violations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  const results = await page.evaluate(async (values) => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
    const runOnly = values.length > 0 ? { runOnly: { type: "rule" as const, values: [...values] } } : {};
    return axe.run({ resultTypes: ["violations"], ...runOnly });
  }, rules);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 120)}: ${failureSummary.slice(0, 300)}`),
  );
}

/** Returns what axe finds in light, in dark, and on a phone; there, whether the page is wider than its window. */
async function inAllModes(page: Page): Promise<string[]> {
  const found = await violations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  found.push(...(await violations(page, OF_COLOURS)).map((each) => `dark: ${each}`));
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(PHONE);
  found.push(...(await violations(page, OF_WIDTH)).map((each) => `phone: ${each}`));
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (excess > 0) found.push(`phone: the page is ${excess} pixels wider than its window`);
  await page.setViewportSize(DESK);
  return found;
}

/** Calls `look` for each source, and for each tab of its view. */
async function everywhere(page: Page, look: (where: string) => Promise<void>): Promise<void> {
  const files = page.getByRole("navigation", { name: "Open files" }).getByRole("button");
  for (let file = 0; file === 0 || file < (await files.count()); file++) {
    if ((await files.count()) > 0) await files.nth(file).click();
    const tabs = page.getByRole("main").getByRole("tab");
    for (let tab = 0; tab === 0 || tab < (await tabs.count()); tab++) {
      const one = (await tabs.count()) > 0 ? tabs.nth(tab) : undefined;
      await one?.click();
      await look(`${await page.title()}: ${(await one?.innerText()) ?? ""}`);
    }
  }
}

describe.skipIf(!hasBrowser)("the page is for everyone", () => {
  beforeAll(() => inspector.start());
  afterAll(() => inspector.stop());

  test.each(Object.entries(VIEWS))("%s: axe finds nothing, in light and dark, and on a phone", async (_, view) => {
    const { page } = await inspector.open(view.given, { viewport: DESK, colorScheme: "light" });
    // The policy of the page allows no script but its own: the browser's own tools may run one.
    await page.evaluate(AXE);
    const found: string[] = [];
    const look = async (where: string): Promise<void> => {
      for (const each of await inAllModes(page)) found.push(`${where}: ${each}`);
    };
    await everywhere(page, look);
    for (const name of view.buttons) {
      await page.getByRole("banner").getByRole("button", { name, exact: true }).click();
      await look(name);
    }
    expect(found).toEqual([]);
    await page.context().close();
  });

  test.each([TRIP, named("history", "unanswered-all"), named("report", "compat.json")])(
    "a keyboard alone reaches all of $name",
    async (sample) => {
      const { page } = await inspector.open([sample]);
      const reached = new Set<string>();
      for (let step = 0; step < 150; step++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => {
          const element = document.activeElement as HTMLElement;
          element.dataset["reached"] = "yes";
          const { outlineStyle, boxShadow } = getComputedStyle(element.closest(".button") ?? element);
          return {
            html: element.outerHTML.slice(0, 200),
            isBody: element === document.body,
            isSeen: outlineStyle !== "none" || boxShadow !== "none",
          };
        });
        if (at.isBody) break;
        expect(at.isSeen, `the focus shows at ${at.html}`).toBe(true);
        reached.add(at.html);
      }
      expect(reached.size).toBeGreaterThan(5);
      // What is in a group that arrows move through has one member that the tab key reaches.
      const missed = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("button, select, textarea, input, summary, a[href]")]
          .filter((each) => each.dataset["reached"] !== "yes" && each.tabIndex >= 0 && each.checkVisibility())
          .filter((each) => !(each as HTMLButtonElement).disabled)
          .map((each) => each.outerHTML.slice(0, 120)),
      );
      expect(missed).toEqual([]);
      await page.context().close();
    },
  );
});

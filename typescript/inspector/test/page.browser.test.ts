/** Whatever there is to show opens in the page: nothing fails, and nothing is asked of the network. */

import { readFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser, Inspector, pageWith } from "./browser.js";
import { lookAround } from "./hostile.js";
import { documents, examples, hasRecordings, largestStreams, type Sample } from "./samples.js";

const inspector = new Inspector();

/** Opens samples in one page; each has to be shown, in each tab of its view. */
async function shows(samples: readonly Sample[]): Promise<void> {
  const { page, faults, requests } = await inspector.open(samples);
  const seen = await lookAround(page);
  expect(seen.filter(({ isShown }) => isShown).map(({ name }) => name)).toEqual(samples.map(({ name }) => name));
  expect(await page.title()).toBe(`${samples.at(-1)?.name} – partwire inspector`);
  expect(faults).toEqual([]);
  expect(requests).toEqual([]);
  await page.context().close();
}

describe.skipIf(!hasBrowser)("the page", () => {
  beforeAll(() => inspector.start());
  afterAll(() => inspector.stop());

  test("shows the examples", () => shows(examples()));

  test("shows streams of each dialect, in each framing", () => {
    const dialects = new Set(largestStreams().map(({ as }) => as));
    expect(dialects.size).toBe(6);
    return shows(largestStreams());
  });

  test.skipIf(!hasRecordings)("has recordings among these", () => {
    expect(largestStreams().some(({ name }) => name.startsWith("recordings"))).toBe(true);
  });

  // As many as fit into a second; the others are opened without a page.
  test.each(Object.entries(documents()))("shows %s", (_, samples) => shows(samples.slice(0, 5)));

  test("weighs less than a megabyte without data", () => {
    expect(statSync(inject("page")).size).toBeLessThan(1_000_000);
    expect(pageWith([])).toContain('{"sources":[]}');
    expect(readFileSync(inject("page"), "utf8").match(/id="partwire-data">null<\/script>/g)).toHaveLength(1);
  });
});

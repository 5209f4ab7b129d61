import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { executablePath, Inspector, pageWith, ROOT } from "./browser.js";

const inspector = new Inspector();

describe.skipIf(executablePath === undefined)("the page", () => {
  beforeAll(() => inspector.start());
  afterAll(() => inspector.stop());

  const streams = join(ROOT, "examples/streams");

  test.each(readdirSync(streams))("shows %s, and asks the network for nothing", async (name) => {
    const { page, faults, requests } = await inspector.open([{ name, bytes: readFileSync(join(streams, name)) }]);
    await expect.poll(() => page.title()).toBe(`${name} – partwire inspector`);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await page.context().close();
  });

  test("weighs less than a megabyte without data", () => {
    expect(statSync(join(ROOT, "python/partwire/inspector/page.html")).size).toBeLessThan(1_000_000);
    expect(pageWith([])).toContain('{"sources":[]}');
  });
});

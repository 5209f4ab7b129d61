import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, Inspector, pageWith, ROOT } from "./browser.js";

const inspector = new Inspector();
const file = (name: string) => ({ name, bytes: readFileSync(join(ROOT, "examples/streams", name)) });
const START = { kind: "start", payload: { modelId: "m", requestId: "q" } };
const text = (textDelta: string) => ({ kind: "text", payload: { textDelta } });
const linesOf = (deltas: readonly object[]): string =>
  deltas
    .map((delta, seq) => `${JSON.stringify({ runId: "r", seq, timestamp: "2026-01-02T03:04:05Z", ...delta })}\n`)
    .join("");

const slider = (page: Page) => page.getByRole("slider", { name: "Timeline" });
const cursorOf = async (page: Page) => Number(await slider(page).getAttribute("aria-valuenow"));
const partText = (page: Page) => page.getByRole("group", { name: "Part" }).locator("pre").innerText();

describe.skipIf(!hasBrowser)("a stream", () => {
  beforeAll(() => inspector.start());
  afterAll(() => inspector.stop());

  test("is walked through by keys", async () => {
    const { page, faults } = await inspector.open([file("trip-calls.sse")]);
    await page.keyboard.press("End");
    await expect.poll(() => cursorOf(page)).toBe(25);
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(() => cursorOf(page)).toBe(15);
    expect(await slider(page).getAttribute("aria-valuetext")).toBe('step 15 of 25: tool_call_args, call weather,  "Ro');
    expect(await partText(page)).toBe('{"city": "Ro');
    expect(await page.locator("mark").innerText()).toBe(' "Ro');
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("]");
    await expect.poll(() => cursorOf(page)).toBe(16);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("is walked through by dragging, and by the list", async () => {
    const { page } = await inspector.open([file("long-answer.sse")]);
    const box = (await slider(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + 300, box.y + 90);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 12, box.y + 90, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => cursorOf(page)).toBe(95);
    await page.getByRole("listbox", { name: "Steps" }).getByRole("option").first().click();
    await expect.poll(async () => (await cursorOf(page)) < 95).toBe(true);
    await page.context().close();
  });

  test("plays to its end", async () => {
    const { page } = await inspector.open([file("trip-answer.sse")]);
    await page.getByLabel("Speed").selectOption("60 steps/s");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Play" }).click();
    await expect.poll(() => cursorOf(page)).toBe(6);
    await page.getByRole("button", { name: "Play" }).waitFor();
    await page.context().close();
  });

  test("that is hostile is text, whatever it says", async () => {
    const bytes = linesOf([
      START,
      text('<img src=x onerror="alert(1)">\u202e'),
      text("</script><script>alert(2)</script>"),
    ]);
    const { page, faults, requests } = await inspector.open([{ name: "<b>x</b>.jsonl", bytes }]);
    await page.keyboard.press("End");
    await expect.poll(() => partText(page)).toContain("</script><script>alert(2)</script>");
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await partText(page)).toContain("U+202E");
    expect([...faults, ...requests]).toEqual([]);
    await page.context().close();
  });

  test("of a thousand parts, of none, and one of garbage are shown", async () => {
    const calls = Array.from({ length: 1000 }, (_, index) => [
      { kind: "tool_call_start", payload: { toolCallId: `c${index}`, toolName: "t" } },
      { kind: "tool_call_end", payload: { toolCallId: `c${index}` } },
    ]);
    const { page, faults } = await inspector.open([
      { name: "parts", bytes: linesOf([START, ...calls.flat()]) },
      { name: "none", bytes: "", as: "deltas" },
      { name: "garbage", bytes: "{no\n{json\n", as: "deltas" },
    ]);
    await page.keyboard.press("End");
    await expect.poll(() => cursorOf(page)).toBe(2001);
    expect(await page.getByRole("listbox", { name: "Steps" }).getByRole("option").count()).toBeLessThan(100);
    for (const name of ["none", "garbage"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await expect.poll(() => page.title()).toContain(name);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("is compared with another", async () => {
    const { page, faults } = await inspector.open([file("trip-calls.sse"), file("trip-answer.sse")]);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("Step 3 on the left, step 3 on the right").waitFor();
    await page.getByText("6 differences.").waitFor();
    await page.getByLabel("compare ids and times too").check();
    await expect.poll(() => page.locator(".differences > li").count()).toBeGreaterThan(6);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  describe("that still comes", () => {
    let server: Server;
    let answer: ServerResponse | undefined;
    beforeAll(async () => {
      server = createServer((request, response) => {
        if (request.url === "/live/0") {
          answer = response;
          response.write(linesOf([START, text("It ")]));
        } else
          response
            .setHeader("content-type", "text/html")
            .end(pageWith([{ name: "live", as: "deltas", live: "live/0" }]));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    });
    afterAll(() => server.close());

    test("is followed, until the cursor is moved", async () => {
      const { port } = server.address() as AddressInfo;
      const { page, faults } = await inspector.visit(`http://127.0.0.1:${port}/`);
      const more = (...words: string[]): unknown =>
        answer?.write(
          linesOf([START, text("It "), ...words.map(text)])
            .split("\n")
            .slice(2)
            .join("\n"),
        );
      await expect.poll(() => cursorOf(page)).toBe(2);
      more("rains ");
      await expect.poll(() => cursorOf(page)).toBe(3);
      await page.keyboard.press("Home");
      await expect.poll(() => cursorOf(page)).toBe(1);
      answer?.write(`${JSON.stringify({ runId: "r", seq: 3, timestamp: "2026-01-02T03:04:05Z", ...text("today") })}\n`);
      await expect.poll(() => slider(page).getAttribute("aria-valuemax")).toBe("4");
      expect(await cursorOf(page)).toBe(1);
      await page.getByRole("button", { name: "Live", exact: true }).click();
      await expect.poll(() => cursorOf(page)).toBe(4);
      answer?.end();
      await page.getByText("cut off", { exact: true }).first().waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });
});

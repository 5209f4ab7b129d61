/** How things come into the page, and leave it: files, text, live streams; any place on a server; the page, saved. */

import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, Inspector, pageWith } from "./browser.js";
import { example } from "./samples.js";

const inspector = new Inspector();
const servers: Server[] = [];

const TRIP = example("trip-calls.sse");
const text = new TextDecoder().decode(TRIP.bytes);

/** Starts a server on a free port, and returns its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function sendPage(response: ServerResponse, page: string): void {
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(page);
}

const main = (page: Page) => page.getByRole("main").innerText();

/** Returns what is shown without the times at which it was read. */
const timeless = (shown: string): string => shown.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");

/** Returns how many steps a shown stream has. */
const stepsOf = (shown: string): string | undefined => / of ([\d,]+)/.exec(shown)?.[1];

/** Waits for a source of this name to be shown, as a stream that has steps. */
async function showsTrip(page: Page, name: string): Promise<void> {
  await expect.poll(() => page.title()).toBe(`${name} – partwire inspector`);
  await expect.poll(() => main(page)).toContain("claude");
}

describe.skipIf(!hasBrowser)("opening", () => {
  beforeAll(() => inspector.start());
  afterAll(() => inspector.stop());
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  test("files that are chosen", async () => {
    const { page, faults, requests } = await inspector.open([]);
    const buffer = Buffer.from(TRIP.bytes);
    await page.getByLabel("Open files").setInputFiles([
      { name: "first.sse", mimeType: "", buffer },
      { name: "second.sse", mimeType: "", buffer },
    ]);
    await showsTrip(page, "first.sse");
    await page.getByRole("button", { name: "second.sse" }).click();
    await showsTrip(page, "second.sse");
    expect([...faults, ...requests]).toEqual([]);
    await page.context().close();
  });

  test("a file that is dropped", async () => {
    const { page, faults, requests } = await inspector.open([]);
    await page.evaluate((content) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], "dropped.sse"));
      const over = new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true });
      document.body.dispatchEvent(over);
      // The browser would leave the page for the file otherwise.
      if (!over.defaultPrevented) throw new Error("dragover is not taken");
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, text);
    await showsTrip(page, "dropped.sse");
    expect([...faults, ...requests]).toEqual([]);
    await page.context().close();
  });

  test("text that is pasted: on the page, and into the field for it", async () => {
    const { page, faults, requests } = await inspector.open([]);
    await page.evaluate((content) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", content);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    }, text);
    await showsTrip(page, "pasted text");
    await page.getByRole("button", { name: "Paste text" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill('{"a": "b"}');
    await page.getByRole("dialog").getByRole("button", { name: "Show" }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Read as" }).inputValue()).toContain("json");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect([...faults, ...requests]).toEqual([]);
    await page.context().close();
  });

  test("a page that was saved shows the same again, read as the user has chosen", async () => {
    const readAs = (shown: Page) => shown.getByRole("combobox", { name: "Read as" });
    const { page } = await inspector.open([TRIP, { ...example("recipe.sse"), name: "</script>.sse" }]);
    await page.getByRole("button", { name: "</script>.sse" }).click();
    await readAs(page).selectOption({ label: "ai-sdk: events" });
    await page.getByRole("button", { name: TRIP.name }).click();
    await showsTrip(page, TRIP.name);
    const shown = await main(page);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save page" }).click();
    const chunks: Uint8Array[] = [];
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Uint8Array);
    const saved = Buffer.concat(chunks).toString("utf8");
    const again = await inspector.openText(saved);
    await showsTrip(again.page, TRIP.name);
    expect(timeless(await main(again.page))).toBe(timeless(shown));
    await again.page.getByRole("button", { name: "</script>.sse" }).click();
    await expect.poll(() => again.page.title()).toContain("</script>.sse");
    await expect.poll(() => readAs(again.page).inputValue()).toBe("ai-sdk|true|false");
    await readAs(again.page).selectOption({ label: "JSON" });
    await again.page.getByRole("button", { name: TRIP.name }).click();
    await again.page.getByRole("button", { name: "</script>.sse" }).click();
    await expect.poll(() => readAs(again.page).inputValue()).toBe("json|false|false");
    expect([...again.faults, ...again.requests]).toEqual([]);
    await page.context().close();
    await again.page.context().close();
  });

  test("a page below a path of a server, which asks for nothing", async () => {
    const address = await serve((_, response) => sendPage(response, pageWith([TRIP])));
    const { page, faults, requests } = await inspector.visit(`${address}/some/where/inspect?a#b`);
    await showsTrip(page, TRIP.name);
    // The browser asks for an icon by itself.
    expect(requests.filter((url) => !url.endsWith("/favicon.ico"))).toEqual([]);
    expect(faults.filter((fault) => !fault.includes("favicon"))).toEqual([]);
    await page.context().close();
  });

  describe("a live source", () => {
    /** A server whose stream grows as the test says. */
    async function live(
      as: { readonly as?: string } = { as: "anthropic-messages" },
    ): Promise<{ readonly url: string; readonly stream: Promise<ServerResponse> }> {
      let give: (stream: ServerResponse) => void = () => {};
      const stream = new Promise<ServerResponse>((resolve) => (give = resolve));
      const given = [{ name: "grows.sse", ...as, live: "live/0" }];
      const address = await serve(({ url }, response) => {
        if (url === "/at/inspect") sendPage(response, pageWith(given));
        else if (url === "/at/live/0") {
          response.flushHeaders();
          give(response);
        } else response.writeHead(404).end();
      });
      return { url: `${address}/at/inspect`, stream };
    }

    const half = text.indexOf("\n\n", text.length / 2) + 2;

    test("grows with what comes, and says that it has ended", async () => {
      const { url, stream } = await live();
      const { page } = await inspector.visit(url);
      const status = page.getByRole("region", { name: "Live" }).getByRole("status");
      const response = await stream;
      await expect.poll(() => status.innerText()).toContain("Live");
      // A cut within a line: nothing of it may be lost.
      response.write(text.slice(0, half - 20));
      await showsTrip(page, "grows.sse");
      const before = await main(page);
      response.write(text.slice(half - 20));
      await expect.poll(() => main(page)).not.toBe(before);
      response.end();
      await expect.poll(() => status.innerText()).toContain("ended");
      // What the end of the stream says, and both halves before it.
      const whole = await inspector.open([{ ...TRIP, as: "anthropic-messages" }]);
      expect(stepsOf(await main(page))).toMatch(/\d/);
      expect(stepsOf(await main(page))).toBe(stepsOf(await main(whole.page)));
      expect(await main(page)).toContain("tool_calls");
      await page.context().close();
      await whole.page.context().close();
    });

    test("says that its connection broke, and keeps what came", async () => {
      const { url, stream } = await live();
      const { page } = await inspector.visit(url);
      const response = await stream;
      response.write(text.slice(0, half));
      await showsTrip(page, "grows.sse");
      response.destroy();
      const status = page.getByRole("region", { name: "Live" }).getByRole("status");
      await expect.poll(() => status.innerText()).toContain("broke");
      expect(await main(page)).toContain("claude");
      await page.context().close();
    });

    test("is looked at as it comes where nothing says what it holds", async () => {
      let isAsked = 0;
      const given = [{ name: "grows.sse", live: "live/0" }];
      const address = await serve(({ url }, response) => {
        if (url === "/inspect") sendPage(response, pageWith(given));
        else if (url === "/live/0") {
          // Once to see what it is, and once more as the stream that it is.
          isAsked += 1;
          response.write(text);
          if (isAsked > 1) response.end();
        } else response.writeHead(404).end();
      });
      const { page } = await inspector.visit(`${address}/inspect`);
      await showsTrip(page, "grows.sse");
      await expect
        .poll(() => page.getByRole("combobox", { name: "Read as" }).inputValue())
        .toContain("anthropic-messages");
      await expect.poll(() => page.getByRole("region", { name: "Live" }).innerText()).toContain("ended");
      await page.context().close();
    });

    test("of messages is opened anew as it grows", async () => {
      const { url, stream } = await live({ as: "history" });
      const { page } = await inspector.visit(url);
      const response = await stream;
      const said = (words: string): string => {
        const parts = [{ kind: "text", payload: { text: words } }];
        return `${JSON.stringify({ runId: "r", role: "user", parts, timestamp: "2026-01-02T03:04:05Z" })}\n`;
      };
      response.write(said("the first"));
      await expect.poll(() => main(page)).toContain("the first");
      response.end(said("the second"));
      await expect.poll(() => main(page)).toContain("the second");
      expect(await main(page)).toContain("the first");
      await expect.poll(() => page.getByRole("region", { name: "Live" }).innerText()).toContain("ended");
      await page.context().close();
    });

    test("says so where there is nothing at its address", async () => {
      const given = [{ name: "gone.sse", as: "anthropic-messages", live: "live/0" }];
      const address = await serve(({ url }, response) => {
        if (url === "/inspect") sendPage(response, pageWith(given));
        else response.writeHead(404).end();
      });
      const { page } = await inspector.visit(`${address}/inspect`);
      const status = page.getByRole("region", { name: "Live" }).getByRole("status");
      await expect.poll(() => status.innerText()).toContain("broke");
      await page.context().close();
    });
  });
});

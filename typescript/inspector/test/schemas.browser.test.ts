/** Two schemas are compared: by the service beside the page, and where there is none, the page says so. */

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, Inspector, pageWith, ROOT } from "./browser.js";
import { SCRIPT } from "./hostile.js";

const inspector = new Inspector();

interface OpenApi {
  readonly paths: { readonly "/v1/compat": { readonly post: { readonly responses: Record<string, unknown> } } };
}

/** The answers that the service's own document gives as examples. */
const { paths } = JSON.parse(readFileSync(join(ROOT, "schemas/openapi.src.json"), "utf8")) as OpenApi;
const answers = (
  paths["/v1/compat"].post.responses["200"] as {
    content: { "application/json": { examples: Record<string, { value: { verdicts: object[] } }> } };
  }
).content["application/json"].examples;

async function body(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString("utf8");
}

const compareButton = (page: Page) => page.getByRole("main").getByRole("button", { name: "Compare" });

describe.skipIf(!hasBrowser)("comparing schemas", () => {
  let answer: { readonly status: number; readonly body: unknown } = { status: 200, body: {} };
  let asked = "";
  let server: Server;
  let address = "";

  beforeAll(async () => {
    await inspector.start();
    server = createServer(async (request, response) => {
      if (request.url === "/below/inspect") response.setHeader("content-type", "text/html").end(pageWith([]));
      else if (request.url === "/below/healthz") response.end('{"status": "ok"}');
      else if (request.url === "/below/v1/compat") {
        asked = await body(request);
        response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
      } else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/below/inspect`;
  });
  afterAll(async () => {
    server.close();
    await inspector.stop();
  });

  async function comparing(url = address): Promise<Page> {
    const { page } = await inspector.visit(url);
    await page.getByRole("button", { name: "Compare schemas" }).click();
    return page;
  }

  test("shows the verdict, and the document that shows a break", async () => {
    const page = await comparing();
    answer = { status: 200, body: answers["breaking"]?.value };
    await page.getByRole("combobox", { name: "Example" }).selectOption("a length is limited");
    await compareButton(page).click();
    const verdict = page.getByRole("region", { name: "Verdict" });
    await expect.poll(() => verdict.innerText()).toContain("breaking");
    expect(await verdict.getByRole("tree", { name: "Witness" }).innerText()).toContain('"aaaa"');
    expect(await verdict.innerText()).toContain("'aaaa' is too long");
    expect(JSON.parse(asked)).toMatchObject({
      new: { properties: { city: { maxLength: 40 } } },
      direction: "backward",
    });
    await page.context().close();
  });

  test("asks anew after a change, and shows no verdict of what was there before", async () => {
    const page = await comparing();
    answer = { status: 200, body: answers["compatible"]?.value };
    await page.getByRole("textbox", { name: "Old schema" }).fill('{"const": 12345678901234567890}');
    await page.getByRole("textbox", { name: "New schema" }).fill("true");
    await page.getByRole("combobox", { name: "Direction" }).selectOption("full");
    await compareButton(page).click();
    const verdict = page.getByRole("region", { name: "Verdict" });
    await expect.poll(() => verdict.innerText()).toContain("breaks nobody");
    // All digits: JSON.parse would have changed them.
    expect(asked).toContain("12345678901234567890");
    expect(asked).toContain('"direction": "full"');
    await page.getByRole("textbox", { name: "New schema" }).fill("false");
    expect(await verdict.count()).toBe(0);
    await page.context().close();
  });

  test.each([
    ["nothing", "", "The old schema is missing"],
    ["what is not JSON", "{", "The old schema is not JSON"],
    ["what is not a schema", "[]", "The old schema is not a schema"],
  ])("refuses %s by itself", async (_, text, said) => {
    const page = await comparing();
    asked = "";
    await page.getByRole("textbox", { name: "Old schema" }).fill(text);
    await page.getByRole("textbox", { name: "New schema" }).fill("true");
    await compareButton(page).click();
    await expect.poll(() => page.getByRole("alert").innerText()).toContain(said);
    expect(asked).toBe("");
    await page.context().close();
  });

  test("says what the service refuses, and that it has gone", async () => {
    const page = await comparing();
    const findings = [{ rule: "compat/not-a-schema", message: `No schema ${SCRIPT}`, pointer: "/type", source: "old" }];
    answer = { status: 422, body: { title: "refused", findings } };
    await page.getByRole("combobox", { name: "Example" }).selectOption("a length is limited");
    await compareButton(page).click();
    await expect.poll(() => page.getByRole("alert").innerText()).toContain(`No schema ${SCRIPT} (old schema, /type)`);
    await page.context().setOffline(true);
    await compareButton(page).click();
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("does not answer");
    await page.context().close();
  });

  test("opens files, and takes one that is dropped on a field", async () => {
    const page = await comparing();
    const buffer = Buffer.from('{"minimum": 1}');
    await page.getByLabel("Open the old schema").setInputFiles({ name: "old.json", mimeType: "", buffer });
    const old = page.getByRole("textbox", { name: "Old schema" });
    await expect.poll(() => old.inputValue()).toBe('{"minimum": 1}');
    const now = page.getByRole("textbox", { name: "New schema" });
    await now.evaluate((field) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['{"minimum": 2}'], "new.json"));
      field.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    });
    await expect.poll(() => now.inputValue()).toBe('{"minimum": 2}');
    expect(await page.getByRole("navigation", { name: "Open files" }).count()).toBe(0);
    await page.context().close();
  });

  test("without a service, says how to start it", async () => {
    const { page, requests } = await inspector.open([]);
    await page.getByRole("button", { name: "Compare schemas" }).click();
    await expect.poll(() => page.getByRole("note").innerText()).toContain("partwire serve");
    expect(await compareButton(page).isDisabled()).toBe(true);
    expect(requests).toEqual([]);
    await page.context().close();
  });
});

/** The built page in a real browser: opened with sources inside, watched for errors and for requests. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { inject } from "vitest";
import type {} from "./browser-setup.js";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Whether there is a browser on this machine; where there is none, tests are skipped. */
export const hasBrowser = inject("browser") !== "";

/** A source as the command line puts it into the page. */
export interface Given {
  readonly name: string;
  readonly bytes?: Uint8Array | string;
  readonly as?: string;
  readonly run?: boolean;
  readonly history?: boolean;
  readonly live?: string;
  readonly readAs?: string;
  readonly losses?: readonly object[];
}

/** Returns the page's text with sources inside. */
export function pageWith(given: readonly Given[]): string {
  const sources = given.map(({ bytes, ...rest }) => ({
    ...rest,
    ...(bytes === undefined ? {} : { gzip: gzipSync(bytes).toString("base64") }),
  }));
  const data = JSON.stringify({ sources }).replaceAll("<", "\\u003c");
  return readFileSync(inject("page"), "utf8").replace('id="partwire-data">null<', () => `id="partwire-data">${data}<`);
}

/** A page that is watched. */
export interface Watched {
  readonly page: Page;
  /** Errors of the console, of scripts, and of the policy; dialogs and windows that a script opened. */
  readonly faults: string[];
  /** What was requested beside the page itself. */
  readonly requests: string[];
}

/** The pages that the tests of a file open. */
export class Inspector {
  readonly #folder = mkdtempSync(join(tmpdir(), "inspector-"));
  #browser: Browser | undefined;
  #count = 0;

  /** Connects with the browser. */
  async start(): Promise<void> {
    this.#browser = await chromium.connect(inject("browser"));
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Opens the page from a file, with sources inside. */
  async open(given: readonly Given[], options: BrowserContextOptions = {}): Promise<Watched> {
    return this.openText(pageWith(given), options);
  }

  /** Opens a page that was saved. */
  async openText(text: string, options: BrowserContextOptions = {}): Promise<Watched> {
    const path = join(this.#folder, `${this.#count++}.html`);
    writeFileSync(path, text);
    return this.visit(pathToFileURL(path).href, options);
  }

  /** Opens an address, and waits until the page has shown what it was given. */
  async visit(url: string, options: BrowserContextOptions = {}): Promise<Watched> {
    if (this.#browser === undefined) throw new Error("The browser has not been started");
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const watched: Watched = { page, faults: [], requests: [] };
    page.on("console", (message) => {
      if (message.type() === "error") watched.faults.push(message.text());
    });
    page.on("pageerror", (error) => watched.faults.push(String(error)));
    page.on("popup", (opened) => watched.faults.push(`popup: ${opened.url()}`));
    page.on("dialog", (dialog) => {
      watched.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (request.url() !== url.replace(/#.*/, "") && !/^(data|blob):/.test(request.url()))
        watched.requests.push(request.url());
    });
    await page.goto(url);
    await page.getByRole("main").waitFor();
    return watched;
  }
}

/** The built page in a real browser: opened with sources inside, watched for errors and for requests. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { build } from "vite";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BUILT = join(ROOT, "python/partwire/inspector/page.html");
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where the browser is; undefined where there is none, and an error where nothing may be skipped. */
export const executablePath: string | undefined = found();

function found(): string | undefined {
  const path = process.env["PARTWIRE_BROWSER"] ?? BROWSERS.find((each) => existsSync(each));
  if (path === undefined && process.env["CI"] !== undefined) throw new Error("There is no browser on this machine");
  return path;
}

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
  return readFileSync(BUILT, "utf8").replace('id="partwire-data">null<', () => `id="partwire-data">${data}<`);
}

/** A page that is watched. */
export interface Watched {
  readonly page: Page;
  /** Errors of the console, of scripts, and of the policy. */
  readonly faults: string[];
  /** What was requested beside the page itself. */
  readonly requests: string[];
}

/** One browser, and the pages that tests open in it. */
export class Inspector {
  readonly #folder = mkdtempSync(join(tmpdir(), "inspector-"));
  #browser: Browser | undefined;
  #count = 0;

  /** Builds the page and starts the browser. */
  async start(): Promise<void> {
    await build({ configFile: join(ROOT, "typescript/inspector/vite.config.ts"), logLevel: "error" });
    this.#browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
    });
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Opens the page from a file, with sources inside. */
  async open(given: readonly Given[], options: BrowserContextOptions = {}): Promise<Watched> {
    const path = join(this.#folder, `${this.#count++}.html`);
    writeFileSync(path, pageWith(given));
    return this.visit(pathToFileURL(path).href, options);
  }

  /** Opens an address, and waits until the page has shown what it was given. */
  async visit(url: string, options: BrowserContextOptions = {}): Promise<Watched> {
    if (this.#browser === undefined) throw new Error("The browser has not been started");
    const page = await (await this.#browser.newContext(options)).newPage();
    const watched: Watched = { page, faults: [], requests: [] };
    page.on("console", (message) => {
      if (message.type() === "error") watched.faults.push(message.text());
    });
    page.on("pageerror", (error) => watched.faults.push(String(error)));
    page.on("dialog", (dialog) => {
      watched.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (request.url() !== url && !/^(data|blob):/.test(request.url())) watched.requests.push(request.url());
    });
    await page.goto(url);
    await page.waitForSelector("main");
    return watched;
  }
}

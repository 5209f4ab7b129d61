/** Builds the page and starts the browser, once for all test files. */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build } from "vite";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The browser's address; empty where there is no browser on this machine. */
    readonly browser: string;
    /** The path of the built page. */
    readonly page: string;
  }
}

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = process.env["PARTWIRE_BROWSER"] ?? BROWSERS.find((each) => existsSync(each));
  if (executablePath === undefined && process.env["CI"] !== undefined) {
    throw new Error("There is no browser on this machine");
  }
  // Not where `make inspector` puts it: other tests may read that one meanwhile.
  const folder = mkdtempSync(join(tmpdir(), "inspector-"));
  await build({
    configFile: fileURLToPath(new URL("../vite.config.ts", import.meta.url)),
    logLevel: "error",
    build: { outDir: folder },
  });
  project.provide("page", join(folder, "page.html"));
  const server =
    executablePath === undefined ? undefined : await chromium.launchServer({ executablePath, args: ARGUMENTS });
  project.provide("browser", server?.wsEndpoint() ?? "");
  return async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

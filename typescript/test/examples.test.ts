/** What a user does first: the package as it is published, in a folder that holds nothing else. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { consumeStream, MessageAssembler } from "../src/index.js";

const HERE = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = mkdtempSync(join(tmpdir(), "partwire-"));
const children: ChildProcess[] = [];

/** A copy without what was built here: `npm pack` has to build it. */
function freshCheckout(): string {
  const root = join(folder, "checkout");
  const made = ["node_modules", "dist", "dist.new", "compiled"];
  const filter = (path: string) => !made.includes(basename(path));
  cpSync(HERE, join(root, "typescript"), { recursive: true, filter });
  for (const read of ["schemas", "python", "typescript/node_modules"])
    symlinkSync(join(HERE, "..", read), join(root, read));
  return join(root, "typescript");
}

beforeAll(async () => {
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: freshCheckout() });
  const installed = join(folder, "node_modules", "partwire");
  mkdirSync(installed, { recursive: true });
  const tarball = join(folder, packed.toString().trim());
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  cpSync(join(HERE, "examples"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  // What the example's first line says, with the packages of this checkout.
  await build({
    entryPoints: [join(folder, "react.tsx")],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    tsconfigRaw: {},
    minify: true,
    outfile: join(folder, "react.js"),
    nodePaths: [join(HERE, "node_modules")],
  });
});

afterAll(() => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
});

test("the first example of the README prints what it says", () => {
  const readme = readFileSync(join(HERE, "README.md"), "utf8");
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
  writeFileSync(join(folder, "first.mjs"), code);
  const printed = execFileSync(process.execPath, ["first.mjs"], { cwd: folder }).toString();
  const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((found) => found[1]);
  expect(said.length).toBeGreaterThan(2);
  expect(printed.trimEnd().split("\n")).toEqual(said);
});

/** Names that a block of a guide leaves to its reader; a parameter's type then follows from nothing. */
const LEFT_OUT = /error TS(?:2304|2552|18004|7006):/;

test("what the README and the guide show is well typed", () => {
  const blocks = join(folder, "blocks");
  mkdirSync(blocks);
  symlinkSync(join(HERE, "node_modules", "yaml"), join(folder, "node_modules", "yaml"));
  for (const [name, path] of Object.entries({ readme: "README.md", guide: "../docs/typescript.md" })) {
    const shown = [...readFileSync(join(HERE, path), "utf8").matchAll(/```[jt]s\n([\s\S]*?)```/g)];
    expect(shown.length).toBeGreaterThan(0);
    for (const [index, [, code]] of shown.entries()) {
      writeFileSync(join(blocks, `${name}-${index}.mts`), `${code}\nexport {};\n`);
    }
  }
  const options = { extends: join(HERE, "tsconfig.json"), include: ["*.mts"] };
  const compilerOptions = { rootDir: ".", types: [], noUnusedLocals: false };
  writeFileSync(join(blocks, "tsconfig.json"), JSON.stringify({ ...options, compilerOptions }));
  const tsc = join(HERE, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "--noEmit", "-p", blocks]);
  const lines = stdout.toString().split("\n");
  expect(lines.filter((line) => line.includes("error TS") && !LEFT_OUT.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith("readme") || line.includes("blocks/readme"))).toEqual([]);
});

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const requires = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;

test.skipIf(!requires)("CommonJS requires it, in a Node that can (20.19, 22.12 and later)", () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !/yaml|json/.test(entry));
  const code = `for (const entry of ${JSON.stringify(entries)}) {
    const names = Object.keys(require("partwire" + entry.slice(1)));
    if (names.length === 0) throw new Error(entry);
  }
  console.log(require("partwire").validate("{}", "message.Message").length);`;
  writeFileSync(join(folder, "required.cjs"), code);
  expect(execFileSync(process.execPath, ["required.cjs"], { cwd: folder }).toString()).toBe("4\n");
});

test("the manifest is what bundlers and runtimes expect", async () => {
  const { messages, pkg } = await publint({
    pkgDir: join(folder, "node_modules", "partwire"),
    pack: false,
    strict: true,
  });
  expect(messages.map((each) => formatMessage(each, pkg))).toEqual([]);
});

// --- the service, on every runtime ------------------------------------------------------------------

/** Starts the service on a runtime; returns where it is. */
async function start(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  for await (const chunk of child.stdout) {
    const found = /http:\S+/.exec(String(chunk));
    if (found !== null) return found[0];
  }
  throw new Error(`${command} ends without an address`);
}

/** Returns a command that is here: in runtimes/, or in PATH. */
function found(command: string): string | undefined {
  const own = join(HERE, "runtimes", "node_modules", ".bin", command);
  if (existsSync(own)) return own;
  return spawnSync(command, ["--version"]).status === 0 ? command : undefined;
}

const ask = async (url: string, body: string) => {
  const assembler = new MessageAssembler();
  const response = await fetch(new URL("/answers", url), { method: "POST", body });
  let count = 0;
  for await (const _ of consumeStream(assembler, response.body)) count++;
  return { count, message: assembler.buildFinalMessage() };
};

const DENO = ["run", "--allow-net", "--allow-read", "--allow-env", "deno.js"];
const RUNTIMES = [
  ["node", process.execPath, ["node.js"]],
  ["deno", found("deno"), DENO],
  ["bun", found("bun"), ["bun.js"]],
] as const;

describe.each(RUNTIMES)("on %s", (name, command, args) => {
  const missing = command === undefined ? `, which is missing: make -C typescript runtimes` : "";

  test.skipIf(missing !== "")(`the service answers as it streams${missing}`, async () => {
    const url = await start(command as string, args);
    const { count, message } = await ask(url, name);
    expect(count).toBeGreaterThan(5);
    expect(message.parts).toEqual([
      { kind: "text", payload: { text: `You asked: ${name}. This answer comes word by word.` } },
    ]);
    await expect(ask(url, "stop")).rejects.toMatchObject({ rule: "stream/failed" });
    expect((await fetch(new URL("/plain.html", url))).headers.get("content-type")).toBe("text/html");
    expect((await fetch(new URL("/../package.json", url))).status).toBe(404);
  });
});

test("with CI set, no runtime is missing", () => {
  const missing = RUNTIMES.filter(([, command]) => command === undefined).map(([name]) => name);
  if (process.env["CI"] !== undefined) expect(missing).toEqual([]);
});

// --- the pages --------------------------------------------------------------------------------------

const browser = process.env["PARTWIRE_BROWSER"] ?? ["chromium", "chromium-browser", "google-chrome"].find(found);

/** Holds a page's load event until its stream has ended: then the browser prints what it shows. */
const holding: ServerResponse[] = [];
const holder = createServer((request, response) => {
  if (request.url === "/hold") {
    holding.push(response);
    setTimeout(() => response.end(), 20_000).unref(); // a page that never ends is printed as it is
  } else for (const held of [...holding.splice(0), response]) held.end();
});

describe.skipIf(browser === undefined)(`in ${browser ?? "chromium, which is not installed"}`, () => {
  let url = "";
  beforeAll(async () => {
    url = await start(process.execPath, ["node.js"]);
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const at = `http://127.0.0.1:${(holder.address() as AddressInfo).port}`;
    const held = `<img src="${at}/hold"><script>
      new MutationObserver(() => {
        const status = document.querySelector("#status")?.textContent;
        if (["stop", "done", "failed"].includes(status)) fetch("${at}/release", { mode: "no-cors" });
      }).observe(document, { characterData: true, childList: true, subtree: true });
    </script></body>`;
    for (const name of ["plain.html", "react.html"]) {
      const page = readFileSync(join(folder, name), "utf8");
      writeFileSync(join(folder, name), page.replace("</body>", held));
    }
  });
  afterAll(() => {
    holder.closeAllConnections();
    holder.close();
  });

  /** Returns the page as it is once its stream has ended. */
  async function page(path: string): Promise<string> {
    const options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", `${url}${path}`];
    const child = spawn(browser as string, options, { stdio: ["ignore", "pipe", "ignore"] });
    children.push(child);
    let html = "";
    for await (const chunk of child.stdout) html += String(chunk);
    return html;
  }

  const text = (html: string, id: string): string =>
    (new RegExp(`id="${id}"[^>]*>([\\s\\S]*?)</p>`).exec(html)?.[1] ?? html).replaceAll(/<[^>]*>/g, "");

  test.each(["plain.html", "react.html"])("%s shows an answer, and one that breaks off", async (path) => {
    const whole = await page(`${path}?ask=Hello`);
    expect(text(whole, "answer")).toBe("You asked: Hello. This answer comes word by word.");
    expect(text(whole, "status")).toMatch(/^(stop|done)$/);
    const cut = await page(`${path}?ask=stop`);
    expect(text(cut, "answer")).toBe("You asked: stop. This");
    expect(text(cut, "status")).toBe("failed");
    expect(cut).toContain("truncated_stream");
  });
});

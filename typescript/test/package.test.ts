/** The built package: what a browser loads, and that nothing in it makes code from text. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { measure } from "../scripts/sizes.js";
import type { StringNode } from "../src/contract/nodes.js";
import { data } from "../src/generated/v0_2/message.data.js";
import { VERSIONS } from "../src/generated/versions.js";
import { MessageAssembler } from "../src/index.js";
import { own } from "../src/json/values.js";
import { Deltas, ruleOf } from "./deltas.js";
import { ROOT } from "./fixtures.js";

const HERE = join(dirname(fileURLToPath(import.meta.url)), "..");
const NODE_20 = ["--disallow-code-generation-from-strings"];

/** A program that uses every part, and says so; run where code from text is forbidden. */
const PROGRAM = `
import { validate, read, dump, MessageAssembler, checkHistory, transition, createPending } from "./dist/index.js";
let forbidden = false;
try { new Function("return 1")(); } catch { forbidden = true; }
const part = { kind: "text", payload: { text: "Hi" } };
const bad = validate({ kind: "text", payload: { text: 1 } }, "message.MessagePart").map((each) => each.rule + each.pointer);
const same = dump(read(part, "message.MessagePart"), "message.MessagePart") === JSON.stringify(part);
const state = transition(createPending({}, ""), "running", { start: 1 }).status;
const result = JSON.stringify({ forbidden, bad, same, state, history: checkHistory([]).length, idle: new MessageAssembler().status });
`;
const EXPECTED = {
  forbidden: true,
  bad: ["shape/type/payload/text"],
  same: true,
  state: "running",
  history: 0,
  idle: "idle",
};

beforeAll(() => {
  if (!existsSync(join(HERE, "dist", "index.js"))) throw new Error("dist is missing: npm run build");
});

test("validators run where code from strings is forbidden", () => {
  const script = `${PROGRAM}; process.stdout.write(result);`;
  const out = execFileSync(process.execPath, [...NODE_20, "--input-type=module", "-e", script], { cwd: HERE });
  expect(JSON.parse(out.toString())).toEqual(EXPECTED);
});

test("no module of the package makes code from text, or wants another package", () => {
  const files = readdirSync(join(HERE, "dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) {
    const code = readFileSync(join(HERE, "dist", file), "utf8");
    expect([file, /\beval\s*\(|\bFunction\s*\(|\brequire\s*\(/.exec(code)]).toEqual([file, null]);
    const withoutExamples = code.replace(/^ \* {5}.*$/gm, "");
    const imports = [...withoutExamples.matchAll(/\bfrom\s*"([^"\n]+)"/g)].map((found) => found[1] as string);
    const others = imports.filter((name) => !name.startsWith("."));
    expect([file, others]).toEqual([file, file === join("envelope", "yaml.js") ? ["yaml"] : []]);
    expect([file, imports.filter((name) => name.endsWith("/yaml.js"))]).toEqual([file, []]);
  }
});

test("the assembler alone is at most 22 kB, gzipped; tool states bring their own family alone", async () => {
  const sizes = await measure();
  // What reads documents has the validators of three versions; those of v0.3 are half as large again as
  // those of v0.2: citations, media, and the provider's own tools, in parts and in deltas.
  expect(sizes["partwire/assembler"]?.gzip).toBeLessThanOrEqual(22 * 1024);
  expect(sizes["partwire/session"]?.gzip).toBeLessThanOrEqual(29 * 1024);
  expect(sizes["partwire/blocks"]?.gzip).toBeLessThanOrEqual(31 * 1024);
  expect(sizes["partwire/convert"]?.gzip).toBeLessThanOrEqual(73 * 1024);
  expect(sizes["partwire/convert/versions"]?.gzip).toBeLessThanOrEqual(140 * 1024);
  expect(sizes["partwire/envelope"]?.gzip).toBeLessThanOrEqual(25 * 1024);
  expect(sizes["partwire/formats"]?.gzip).toBeLessThanOrEqual(103 * 1024);
  expect(sizes["partwire/formats/ag-ui"]?.gzip).toBeLessThanOrEqual(44 * 1024);
  expect(sizes["partwire/formats/ai-sdk"]?.gzip).toBeLessThanOrEqual(47 * 1024);
  expect(sizes["partwire/providers"]?.gzip).toBeLessThanOrEqual(54 * 1024);
  expect(sizes["partwire/providers, one dialect"]?.gzip).toBeLessThanOrEqual(30 * 1024);
  expect(sizes["partwire/providers/requests"]?.gzip).toBeLessThanOrEqual(56 * 1024);
  expect(sizes["partwire"]?.gzip).toBeLessThanOrEqual(210 * 1024);
  expect(sizes["partwire/stream"]?.gzip).toBeLessThanOrEqual(7 * 1024);
  expect(sizes["partwire/build"]?.gzip).toBeLessThanOrEqual(87 * 1024);
  expect(sizes["partwire/build, messages"]?.gzip).toBeLessThanOrEqual(34 * 1024);
  const readme = readFileSync(join(HERE, "README.md"), "utf8");
  for (const [, entry = "", size] of readme.matchAll(/^\| `(partwire[\w/-]*)` +\|.*\| +(\d+) kB \|$/gm)) {
    expect([entry, Math.abs((sizes[entry]?.gzip ?? 0) / 1000 - Number(size)) < 2]).toEqual([entry, true]);
  }
  // The builders and adapters beside it cost nothing.
  expect(sizes["partwire, validate"]?.gzip).toBeLessThanOrEqual(130 * 1024);
});

test("versions are those of the catalog, and timestamps those of the schema", () => {
  const catalog = JSON.parse(readFileSync(join(ROOT, "schemas", "catalog.json"), "utf8")) as { versions: object };
  expect(VERSIONS).toEqual(Object.keys(catalog.versions));
  const pattern = (own(data, "Timestamp") as StringNode).p as string;
  const source = readFileSync(join(HERE, "src", "message", "assembler", "rules.ts"), "utf8");
  const written = /\/(\^\(\?:\[0-9\].*\$)\/u/.exec(source)?.[1];
  expect(written).toBe(pattern);
  const make = new Deltas();
  const late = { ...make.start(), timestamp: "2023-02-29T00:00:00Z" };
  expect(ruleOf(() => new MessageAssembler().consume(late))).toBe("stream/invalid-timestamp");
});

// --- a real browser, where there is one -------------------------------------------------------------

const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];
const browser = process.env["PARTWIRE_BROWSER"] ?? BROWSERS.find((name) => spawnSync(name, ["--version"]).status === 0);
const server = createServer((request, response) => {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  response.setHeader("Content-Security-Policy", "default-src 'none'; script-src 'self'");
  const isModule = path.endsWith(".js");
  response.setHeader("Content-Type", isModule ? "text/javascript" : "text/html");
  if (path === "/page.js") response.end(`${PROGRAM.replace("./dist/", "/dist/")}; document.body.textContent = result;`);
  else if (isModule) response.end(readFileSync(join(HERE, path)));
  else response.end('<!doctype html><body><script type="module" src="/page.js"></script></body>');
});

afterAll(() => {
  server.close();
});

test.skipIf(browser === undefined)(
  `validators run under a strict CSP in ${browser ?? "chromium, which is not installed"}`,
  async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { spawn } = await import("node:child_process");
    const options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom", url];
    const child = spawn(browser as string, options, { stdio: ["ignore", "pipe", "ignore"] });
    let page = "";
    for await (const chunk of child.stdout) page += String(chunk);
    const text = /<body>(\{.*\})<\/body>/.exec(page)?.[1]?.replaceAll("&quot;", '"');
    expect(JSON.parse(text ?? page)).toEqual(EXPECTED);
  },
  60_000,
);

// Takes the pictures of docs/pictures: node inspector/pictures.mjs, after `make inspector`. PARTWIRE_BROWSER
// names another browser than the system's Chromium.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "python/partwire/inspector/page.html"), "utf8");
const MOST_BYTES = 60_000;

const read = (path) => readFileSync(join(ROOT, path));
const file = (path, more = {}) => ({ name: path.slice(path.lastIndexOf("/") + 1), bytes: read(path), ...more });
const report = (name) => file(`typescript/inspector/test/reports/${name}.json`);
const HALF = read("examples/streams/long-answer.sse").lastIndexOf("\n\n", 9000) + 2;
const ERROR = Buffer.from(
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
);
const DESK = { width: 1120, height: 720 };
const TALL = { width: 1120, height: 1040 };
const PHONE = { width: 390, height: 780 };

/** A document of a fixture. */
const fixture = (path, name, member, as) => {
  const found = JSON.parse(read(`fixtures/${path}`)).cases.find((each) => each.name === name);
  return { name: `${name}.json`, bytes: JSON.stringify(found[member]), as };
};

/** A picture: what is open, in which colours and size, and what is done before it is taken. */
const PICTURES = {
  stream: {
    sources: [file("examples/streams/trip-calls.sse")],
    act: async (page) => {
      await page.keyboard.press("End");
      await page.keyboard.press("Shift+ArrowLeft");
    },
  },
  error: {
    sources: [
      {
        name: "overloaded.sse",
        bytes: Buffer.concat([read("examples/streams/long-answer.sse").subarray(0, HALF), ERROR]),
      },
    ],
    dark: true,
    act: (page) => page.keyboard.press("End"),
  },
  cut: {
    sources: [{ name: "long-answer.sse", bytes: read("examples/streams/long-answer.sse").subarray(0, HALF) }],
    size: PHONE,
    act: async (page) => {
      await page.keyboard.press("End");
      await page.getByRole("main").getByText("State", { exact: true }).first().click();
    },
  },
  conversation: { sources: [file("examples/chat_log/chat.json")] },
  session: {
    sources: [fixture("v0.3/bridges/session-approvals.json", "approved-from-session", "input", "session")],
    dark: true,
  },
  report: { sources: [report("compat")] },
  compare: {
    sources: [file("examples/streams/recipe.sse"), file("examples/streams/recipe-invalid.sse")],
    act: (page) => page.getByRole("button", { name: "Compare", exact: true }).click(),
  },
  schemas: {
    sources: [],
    size: TALL,
    act: async (page) => {
      await page.getByRole("button", { name: "Compare schemas" }).click();
      await page.getByRole("textbox", { name: "Old schema" }).fill('{"type": "string"}');
      await page.getByRole("textbox", { name: "New schema" }).fill('{"type": "string", "maxLength": 3}');
      await page.getByRole("main").getByRole("button", { name: "Compare" }).click();
      await page.getByRole("region", { name: "Verdict" }).scrollIntoViewIfNeeded();
    },
  },
};

const folder = mkdtempSync(join(tmpdir(), "pictures-"));
const executablePath = process.env.PARTWIRE_BROWSER ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-lcd-text"];
const browser = await chromium.launch({ executablePath, args });
try {
  for (const [name, { sources, size = DESK, dark = false, act }] of Object.entries(PICTURES)) {
    const path = join(folder, "page.html");
    writeFileSync(path, withSources(sources));
    const page = await browser.newPage({ viewport: size, colorScheme: dark ? "dark" : "light" });
    await page.route("http://partwire.test/**", (route) => route.fulfill(served(new URL(route.request().url()))));
    await page.goto(sources.length > 0 ? pathToFileURL(path).href : "http://partwire.test/inspect");
    await page.getByRole("main").waitFor();
    await act?.(page);
    await page.waitForTimeout(300);
    const picture = await withPalette(page, await page.screenshot());
    if (picture.length > MOST_BYTES) throw new Error(`${name} is too large: ${picture.length} bytes`);
    writeFileSync(join(ROOT, `docs/pictures/inspector-${name}.png`), picture);
    console.log(`${name}: ${picture.length} bytes`);
    await page.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

/** What the service answers, as its own document has it. */
function served({ pathname }) {
  if (pathname === "/inspect") return { contentType: "text/html", body: PAGE };
  if (pathname === "/healthz") return { json: { status: "ok" } };
  const { responses } = JSON.parse(read("schemas/openapi.src.json")).paths["/v1/compat"].post;
  return { json: responses[200].content["application/json"].examples.breaking.value };
}

function withSources(sources) {
  const embedded = sources.map(({ bytes, ...rest }) => ({ ...rest, gzip: gzipSync(bytes).toString("base64") }));
  const data = JSON.stringify({ sources: embedded }).replaceAll("<", "\\u003c");
  return PAGE.replace('id="partwire-data">null<', () => `id="partwire-data">${data}<`);
}

/** Returns a picture as a PNG with the 256 colours that it has most of: half of the size, and no one sees it. */
async function withPalette(page, png) {
  const url = `data:image/png;base64,${png.toString("base64")}`;
  const { width, height, pixels } = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (let at = 0; at < data.length; at += 0x8000) text += String.fromCharCode(...data.subarray(at, at + 0x8000));
    return { width: image.width, height: image.height, pixels: btoa(text) };
  }, url);
  const data = Buffer.from(pixels, "base64");
  const counts = new Map();
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at++) {
    colours[at] = (data[4 * at] << 16) | (data[4 * at + 1] << 8) | data[4 * at + 2];
    counts.set(colours[at], (counts.get(colours[at]) ?? 0) + 1);
  }
  const palette = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, 256);
  const nearest = new Map(palette.map((colour, index) => [colour, index]));
  for (const colour of counts.keys()) if (!nearest.has(colour)) nearest.set(colour, indexOfNearest(palette, colour));
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < colours.length; at++) {
    const y = Math.floor(at / width);
    rows[y * (width + 1) + 1 + (at % width)] = nearest.get(colours[at]);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const packed = deflateSync(rows, { level: 9 });
  return Buffer.concat([signature, chunk("IHDR", head), chunk("PLTE", table), chunk("IDAT", packed), chunk("IEND")]);
}

function indexOfNearest(palette, colour) {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, each] of palette.entries()) {
    const [red, green, blue] = [16, 8, 0].map((shift) => ((each >> shift) & 255) - ((colour >> shift) & 255));
    const distance = red * red + green * green + blue * blue;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function chunk(type, data = Buffer.alloc(0)) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

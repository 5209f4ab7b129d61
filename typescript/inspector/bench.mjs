/**
 * How fast the stream view is, in a headless browser: a stream of 100,000 deltas inside the page, from the navigation
 * to the first paint of the view, and the frames while the cursor is dragged over all of it.
 *
 *     node inspector/bench.mjs [steps]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const PAGE = fileURLToPath(new URL("../../python/partwire/inspector/page.html", import.meta.url));
const ARGS = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"];
const MORE = ["disable-component-update", "disable-sync"];
const ROUNDS = 3;
const DRAG_MS = 4000;

/** Text, reasoning and calls in turn; a delta each 12 ms, and sometimes a pause. */
function deltasOf(count) {
  const begin = Date.UTC(2026, 0, 2);
  const lines = [];
  const put = (kind, payload) => {
    const seq = lines.length;
    const timestamp = new Date(begin + seq * 12 + Math.floor(seq / 20_000) * 3000).toISOString();
    lines.push(JSON.stringify({ kind, runId: "run", seq, timestamp, payload }));
  };
  put("start", { modelId: "model-1", requestId: "request-1" });
  for (let part = 0; lines.length < count - 2; part++) {
    const most = Math.min(2500, count - 2 - lines.length);
    if (part % 3 < 2 || most < 10) {
      const kind = part % 3 === 0 ? "thinking" : "text";
      for (let index = 0; index < most; index++) put(kind, { textDelta: `word ${index} ` });
      continue;
    }
    const toolCallId = `call-${part}`;
    put("tool_call_start", { toolCallId, toolName: "search" });
    put("tool_call_args", { toolCallId, argsTextDelta: '{"query": "' });
    for (let index = 0; index < most - 4; index++) put("tool_call_args", { toolCallId, argsTextDelta: "rain " });
    put("tool_call_args", { toolCallId, argsTextDelta: '"}' });
    put("tool_call_end", { toolCallId });
  }
  put("usage", { inputTokens: 100, outputTokens: count, totalTokens: count + 100 });
  put("done", { finishReason: "stop" });
  return lines.join("\n");
}

/** Returns the page with a stream inside it. */
function pageOf(deltas) {
  const source = { name: "bench.jsonl", as: "deltas", gzip: gzipSync(deltas).toString("base64") };
  const data = JSON.stringify({ sources: [source] });
  return readFileSync(PAGE, "utf8").replace('id="partwire-data">null<', () => `id="partwire-data">${data}<`);
}

/** Returns the milliseconds from the navigation to the first frame behind the one that shows the view. */
function whenPainted() {
  return new Promise((resolve) => {
    const look = () => {
      const canvas = document.querySelector(".timeline canvas");
      if (canvas === null || canvas.width < 400) requestAnimationFrame(look);
      else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    };
    look();
  });
}

/** Moves the pointer a bit in each frame; returns when each frame was, and at which step the cursor was in it. */
function drag({ from, to, y, ms }) {
  const slider = document.querySelector("[role=slider]");
  const frames = [];
  return new Promise((resolve) => {
    const frame = (time) => {
      frames.push([time, Number(slider.getAttribute("aria-valuenow"))]);
      const share = Math.min(1, (time - frames[0][0]) / ms);
      // The real pointer is down; its moves are made here, as they come too slowly from outside.
      const place = { clientX: from + (to - from) * share, clientY: y, pointerId: 1, bubbles: true };
      slider.dispatchEvent(new PointerEvent("pointermove", place));
      if (share < 1) requestAnimationFrame(frame);
      else requestAnimationFrame(() => resolve(frames));
    };
    requestAnimationFrame(frame);
  });
}

const count = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), "inspector-bench-"));
const browser = await chromium.launch({
  executablePath: process.env["PARTWIRE_BROWSER"] ?? "/usr/bin/chromium",
  args: [...ARGS, ...MORE].map((name) => `--${name}`),
});
try {
  const file = join(folder, "page.html");
  writeFileSync(file, pageOf(deltasOf(count)));
  const loads = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(`file://${file}`);
    loads.push(Math.round(await page.evaluate(whenPainted)));
    if (round === ROUNDS - 1) await scrub(page);
    await page.close();
  }
  console.log(`load: ${loads.join(", ")} ms for ${count} deltas (navigation to first paint of the view)`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

async function scrub(page) {
  const box = await page.locator(".timeline").boundingBox();
  const y = box.y + 90;
  const [from, to] = [box.x + 180, box.x + box.width - 12];
  await page.mouse.move(from, y);
  await page.mouse.down();
  const frames = await page.evaluate(drag, { from, to, y, ms: DRAG_MS });
  await page.mouse.up();
  const times = frames.slice(1).map(([time], index) => time - frames[index][0]);
  const moved = frames.filter(([, step], index) => index > 0 && step !== frames[index - 1][1]).length;
  const sorted = [...times].sort((a, b) => a - b);
  const seconds = (frames[frames.length - 1][0] - frames[0][0]) / 1000;
  const worst = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  console.log(
    `drag: ${(times.length / seconds).toFixed(1)} frames per second, the cursor moved in ${moved} of ${times.length}; ` +
      `a frame takes ${worst(0.5)} ms (median), ${worst(0.95)} ms (95 %), ${worst(1)} ms (longest); ` +
      `up to step ${frames[frames.length - 1][1]}`,
  );
}

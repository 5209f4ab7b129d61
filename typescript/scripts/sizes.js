/** Bytes that a browser loads: each entry of the package, bundled and minified by esbuild. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** What a page loads that reads one provider, from bytes: bundlers leave the other dialects out. */
const ONE_DIALECT = "partwire/providers, one dialect";
/** What a page loads that takes no stream of a provider. */
const BUILDERS = "partwire/build, messages";
/** What comes of the core where one function is wanted. */
const VALIDATE = "partwire, validate";
const NAMES = {
  [ONE_DIALECT]: "{ ByteAdapter, OpenAIChatAdapter }",
  [BUILDERS]: "{ user, system, assistant, tool, text, toolCall, toolResult, now, newId }",
  [VALIDATE]: "{ validate }",
};
const ENTRIES = {
  "partwire/assembler": "message/assembler/index.js",
  "partwire/blocks": "blocks/index.js",
  "partwire/build": "build/index.js",
  [BUILDERS]: "build/index.js",
  "partwire/convert": "convert/index.js",
  "partwire/convert/versions": "convert/versions/index.js",
  "partwire/envelope": "envelope/index.js",
  "partwire/envelope/yaml": "envelope/yaml.js",
  "partwire/formats": "formats/index.js",
  "partwire/formats/ag-ui": "formats/ag-ui/index.js",
  "partwire/formats/ai-sdk": "formats/ai-sdk/index.js",
  "partwire/providers": "providers/index.js",
  [ONE_DIALECT]: "providers/index.js",
  "partwire/providers/framing": "providers/framing/index.js",
  "partwire/providers/requests": "providers/requests.js",
  "partwire/session": "session/index.js",
  "partwire/stream": "message/stream.js",
  partwire: "index.js",
  [VALIDATE]: "index.js",
};

/**
 * Returns minified and gzipped bytes by entry.
 * @returns {Promise<Record<string, {minified: number, gzip: number}>>}
 */
export async function measure() {
  const rows = Object.entries(ENTRIES).map(async ([name, file]) => {
    const made = await build({
      stdin: { contents: `export ${NAMES[name] ?? "*"} from "./dist/${file}"`, resolveDir: root },
      bundle: true,
      format: "esm",
      minify: true,
      target: "es2022",
      write: false,
    });
    const code = made.outputFiles[0].contents;
    return [name, { minified: code.length, gzip: gzipSync(code, { level: 9 }).length }];
  });
  return Object.fromEntries(await Promise.all(rows));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, { minified, gzip }] of Object.entries(await measure())) {
    console.log(
      `${name.padEnd(31)} ${String(minified).padStart(8)} bytes minified ${String(gzip).padStart(7)} gzipped`,
    );
  }
}

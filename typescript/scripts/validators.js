/**
 * Compiles the contract's JSON Schemas with ajv, ahead of time, into src/compiled: plain modules
 * that need neither ajv nor eval. One function per type says whether a value has its shape.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const rooms = join(root, "..", "python", "partwire");
const output = join(root, "src", "compiled");

/**
 * Returns a schema as ajv takes it: its discriminator wants no mapping, and lets pass what is not an
 * object, so that the variants' type is said once more beside it.
 */
function prepared(node) {
  if (Array.isArray(node)) return node.map(prepared);
  if (typeof node !== "object" || node === null) return node;
  const { examples: _, ...rest } = node;
  const made = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, prepared(member)]));
  if (!Array.isArray(node.oneOf) || node.discriminator === undefined) return made;
  return { ...made, type: "object", discriminator: { propertyName: node.discriminator.propertyName } };
}

/** What ajv's output would take from ajv itself: the length of a string in code points, in our words. */
const CODE_POINTS = `exports.default = (text) => {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
};`;
const runtime = {
  name: "runtime",
  setup(bundler) {
    bundler.onResolve({ filter: /^ajv\// }, ({ path }) => {
      if (path !== "ajv/dist/runtime/ucs2length") throw new Error(`ajv's output asks for ${path}`);
      return { path, namespace: "runtime" };
    });
    bundler.onLoad({ filter: /.*/, namespace: "runtime" }, () => ({ contents: CODE_POINTS, loader: "js" }));
  },
};

async function compile(version, family) {
  const file = join(rooms, version, "bundles", `${family}.schema.json`);
  const bundle = prepared(JSON.parse(await readFile(file, "utf8")));
  const names = Object.keys(bundle.$defs);
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: false },
    discriminator: true,
    messages: false,
    strict: false,
    inlineRefs: 2,
    schemas: [{ ...bundle, $id: family }],
  });
  const refs = Object.fromEntries(names.map((name) => [name, `${family}#/$defs/${name}`]));
  const functions = standalone.default(ajv, refs);
  const table = `export const verdicts = { ${names.join(", ")} };`;
  const code = functions.replaceAll(/export const (\w+) = /g, "const $1 = ");
  const made = await build({
    stdin: { contents: `${code}\n${table}`, resolveDir: root, loader: "js" },
    bundle: true,
    format: "esm",
    legalComments: "inline",
    minify: true,
    plugins: [runtime],
    target: "es2022",
    write: false,
  });
  return made.outputFiles[0].text;
}

const HEAD = "// Compiled by ajv from the contract's JSON Schemas: see scripts/validators.js.\n";
const TYPES = `${HEAD}export declare const verdicts: Readonly<Record<string, (value: unknown) => boolean>>;\n`;

for (const version of (await readdir(rooms)).filter((name) => /^v[0-9_]+$/.test(name)).sort()) {
  await mkdir(join(output, version), { recursive: true });
  for (const file of (await readdir(join(rooms, version, "bundles"))).sort()) {
    const family = /^([a-z]+)\.schema\.json$/.exec(file)?.[1];
    if (family === undefined) continue;
    await writeFile(join(output, version, `${family}.js`), HEAD + (await compile(version, family)));
    await writeFile(join(output, version, `${family}.d.ts`), TYPES);
  }
}

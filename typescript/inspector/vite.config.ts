/** Builds the inspector: one page with everything in it, for `partwire inspect`, the service and any web server. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { contractData } from "./contract-data.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Replaces the validators that ajv compiled, 1.4 MB of them, by the walk along the same schemas: it finds the
 * same, as tests of the package show, and is fast enough for one page.
 */
function walkInstead(): Plugin {
  const compiled = /\/src\/compiled\/(v\d+_\d+)\/(\w+)\.js$/;
  return {
    name: "walk-instead-of-compiled",
    enforce: "pre",
    resolveId(source, importer) {
      if (importer === undefined || !source.includes("/compiled/")) return null;
      const found = compiled.exec(new URL(source, `file://${importer}`).pathname);
      return found === null ? null : `\0verdicts:${found[1]}/${found[2]}`;
    },
    load(id) {
      if (!id.startsWith("\0verdicts:")) return null;
      const data = here(`../src/generated/${id.slice("\0verdicts:".length)}.data.ts`);
      return `
        import { data } from ${JSON.stringify(data)};
        import { explain, isShape } from ${JSON.stringify(here("../src/reading/explain.ts"))};
        const verdictOf = (name) => (value) => !explain(data, name, value).some(isShape);
        export const verdicts = Object.fromEntries(Object.keys(data).map((name) => [name, verdictOf(name)]));
      `;
    },
  };
}

/** Puts scripts and styles into the page, and allows by their digests these alone. */
function onePage(): Plugin {
  const allowed = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("index.html is missing");
      const texts = { js: "", css: "" };
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") texts.js += file.code.trim();
        else if (name.endsWith(".css")) texts.css += String(file.source).trim();
        if (file !== page) delete bundle[name];
      }
      // A script element ends at the first </script in it, wherever that is.
      const script = texts.js.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      const policy = [
        "default-src 'none'",
        `script-src ${allowed(script)}`,
        `style-src ${allowed(texts.css)}`,
        "img-src data: blob:",
        "media-src data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const head = `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n    <style>${texts.css}</style>`;
      const source = String(page.source)
        .replaceAll(/\s*<(script type="module"|link rel="stylesheet")[^>]*>(<\/script>)?/g, "")
        .replace('<meta name="viewport"', () => `${head}\n    <meta name="viewport"`)
        .replace("</body>", () => `<script type="module">${script}</script>\n  </body>`);
      delete bundle["index.html"];
      this.emitFile({ type: "asset", fileName: "page.html", source });
    },
  };
}

/** The package's entries, from its source. */
const alias = Object.entries(
  JSON.parse(readFileSync(here("../package.json"), "utf8")).exports as Record<string, { default?: string }>,
).flatMap(([entry, { default: file }]) =>
  file === undefined
    ? []
    : [
        {
          find: new RegExp(`^partwire${entry.slice(1)}$`),
          replacement: here(`../${file.replace("dist", "src").replace(/js$/, "ts")}`),
        },
      ],
);

export default defineConfig({
  root: here("."),
  resolve: { alias },
  plugins: [walkInstead(), contractData(here("../../schemas")), onePage()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: here("../../python/partwire/inspector"),
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
  },
});

/** Makes dist/: what tsc emits, and the compiled validators beside it. */
import { execFileSync } from "node:child_process";
import { cp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

const made = join(root, "dist.new");

// What others may be running is replaced at the end, at once.
await rm(made, { recursive: true, force: true });
const options = ["-p", "tsconfig.build.json", "--outDir", made];
execFileSync(process.execPath, [compiler, ...options], { cwd: root, stdio: "inherit" });
await cp(join(root, "src", "compiled"), join(made, "compiled"), { recursive: true });
await rm(join(root, "dist"), { recursive: true, force: true });
await rename(made, join(root, "dist"));

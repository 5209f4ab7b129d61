/** Makes dist/: what tsc emits, and the compiled validators beside it. */
import { execFileSync } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

await rm(join(root, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
await cp(join(root, "src", "compiled"), join(root, "dist", "compiled"), { recursive: true });

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { contractData } from "./inspector/contract-data.ts";
import inspector from "./inspector/vite.config.ts";

// Generous: a machine that does other things too is no reason to fail.
const patient = { testTimeout: 120_000, hookTimeout: 120_000 };
// Files of tests share the modules that they import: to read those anew for each file takes a third
// of the time. No test changes what another one sees.
const shared = { ...patient, isolate: false };
const { resolve } = inspector;

export default defineConfig({
  test: {
    projects: [
      { test: { name: "package", include: ["test/**/*.test.ts"], ...shared } },
      {
        resolve,
        plugins: [contractData(fileURLToPath(new URL("../schemas", import.meta.url)))],
        test: {
          name: "inspector",
          include: ["inspector/test/*.test.ts"],
          exclude: ["**/*.browser.test.ts"],
          ...patient,
        },
      },
      {
        resolve,
        test: {
          name: "browser",
          include: ["inspector/test/*.browser.test.ts"],
          globalSetup: "inspector/test/browser-setup.ts",
          ...patient,
        },
      },
    ],
  },
});

import { defineConfig } from "vitest/config";

export default defineConfig({
  // Generous: a machine that does other things too is no reason to fail.
  test: { include: ["test/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000 },
});

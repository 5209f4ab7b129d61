import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { heldBy, type OpenedStream, open } from "../src/model/opened.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const example = (name: string) => ({
  id: 0,
  name,
  bytes: new Uint8Array(readFileSync(`${root}/examples/streams/${name}`)),
});

describe("examples", () => {
  test.each(readdirSync(`${root}/examples/streams`))("%s has a lane for each part", (name) => {
    const source = example(name);
    const [as] = heldBy(source);
    expect(as, name).toBeDefined();
    const { view, recording } = open(source, as ?? {}) as OpenedStream;
    expect(view).toBe("stream");
    for (const [index, { message, status }] of recording.messages.entries()) {
      const parts = recording.lanes.filter((lane) => lane.stream === index && lane.part >= 0);
      if (status === "done") expect(parts.length, name).toBe(message?.parts.length);
    }
  });
});

/** Media of v0.2 as the images and files of v0.1. */
import type { MediaPayload } from "../../generated/v0_2/message.js";
import type { Part } from "./opaque-state.js";
import type { Json, Walk } from "./walk.js";

/**
 * Returns a `media` part as `image` or `file_ref` part. What is in the document stays there: bytes of an
 * image are its `data`, other bytes become a `data:` URL as path. A URL, and the name of what is kept
 * apart, is a path too.
 */
export function downgradeMedia(walk: Walk, part: Part, pointer: string): Part {
  const place = `${pointer}/payload`;
  const closed = walk.members(part.payload, "MediaPayload", place) as unknown as MediaPayload;
  const { mimeType, source, sizeBytes } = closed;
  const isImage = source.kind !== "ref" && mimeType.toLowerCase().startsWith("image/");
  walk.log.note(isImage ? "media-as-image" : "media-as-file", pointer);
  for (const name of ["name", "sizeBytes", "sha256"] as const) {
    if (closed[name] !== undefined && (isImage || name !== "sizeBytes")) {
      walk.log.note("media-detail", `${place}/${name}`);
    }
  }
  if (isImage) {
    const held: Json = source.kind === "inline" ? { data: source.data } : { url: source.url };
    return { kind: "image", payload: { mimeType, ...held } };
  }
  const size = sizeBytes === undefined ? {} : { size: sizeBytes };
  return { kind: "file_ref", payload: { path: pathOf(closed), mimeType, ...size } };
}

function pathOf({ mimeType, source }: MediaPayload): string {
  switch (source.kind) {
    case "inline":
      return `data:${mimeType};base64,${source.data}`;
    case "url":
      return source.url;
    case "ref":
      return source.ref;
  }
}

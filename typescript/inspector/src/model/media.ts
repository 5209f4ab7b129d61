/** Media that a document holds: what a page may show of it. Nothing is fetched. */

import { base64 } from "./sources.js";

export type MediaKind = "image" | "audio" | "video" | "other";

/** Types of images that browsers show; scripts in a picture do not run where it is an image. */
const IMAGES = /^image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/;

export function mediaKind(mimeType: string): MediaKind {
  const [type = ""] = mimeType.toLowerCase().split(";");
  if (IMAGES.test(type.trim())) return "image";
  const [, kind] = /^(audio|video)\//.exec(type) ?? [];
  return kind === undefined ? "other" : (kind as MediaKind);
}

/** Returns the bytes of a Base64 text; undefined where it is not one. */
export function bytesOf(data: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return base64(data);
  } catch {
    return undefined;
  }
}

/** Returns how many bytes a Base64 text holds. */
export function decodedSize(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** Returns how many bytes so many letters of Base64 are, about. */
export function bytesIn(letters: number): number {
  return Math.floor((letters * 3) / 4);
}

/** Returns a file name that holds no path and nothing that hides. */
export function safeName(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? "";
  const plain = base.replace(/[^\p{L}\p{N}._ -]/gu, "_").replace(/^\.+/, "");
  return plain.slice(-100) || "media";
}

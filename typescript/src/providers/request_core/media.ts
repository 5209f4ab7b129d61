/**
 * Where the bytes of images, files and media are: inline, behind a URL, or with the provider.
 *
 * A `file_ref` holds a path "as producer and consumer agreed". An encoder opens nothing, so it knows
 * three kinds of paths: `data:` URLs, `http(s):` URLs, and ids of files that were uploaded to the
 * provider. The `ref` of a `media` part is a name in a store: of those three it can be such an id
 * only; the owner of the store resolves the others before.
 */

import type { FileRefPayload, ImagePayload, TolerantMediaPayload } from "../../contract/current/message.js";
import { Unknown } from "../../contract/unknown.js";
import { IMAGES } from "../../generated/tables/media-types.js";
import { base64Of } from "../../json/base64.js";
import { stripped } from "../core/values.js";
import { SPACE, withoutSpace } from "./values.js";

const DATA = /^data:([^,;]*)((?:;[^,;]*)*),/i;
const WEB = new RegExp(`^https?://[^${SPACE}/]`, "iu");
const DEFAULT_MIME = "text/plain";

/** Exactly one of these. */
interface Where {
  readonly data?: string;
  readonly url?: string;
  readonly path?: string;
}

/** Bytes of an image or a file. */
export class Media {
  /** Base64, standard alphabet, padded, and not empty. */
  readonly data: string | undefined;
  /** http or https. */
  readonly url: string | undefined;
  /** Anything else: the provider's own file id, or what no provider can read, "" where there is nothing. */
  readonly path: string | undefined;

  constructor(
    /** Lower case and without parameters, "" where it is not known. */
    readonly mimeType: string,
    where: Where,
    /** The file's, "" where nobody says it. */
    readonly name = "",
    /** The type of a media part as it was given. */
    readonly fullType = "",
  ) {
    // Without a byte it leads nowhere, and no provider takes it.
    const { data, url, path } = where.data === "" ? { path: "" } : where;
    this.data = data;
    this.url = url;
    this.path = path;
  }

  get isImage(): boolean {
    return this.mimeType.startsWith("image/");
  }

  /** Whether this is an image of a type that few providers read. */
  get isOddImage(): boolean {
    return this.isImage && !IMAGES.includes(this.mimeType);
  }

  /** The name of the file; one that says its type where nobody named it. */
  get fileName(): string {
    return this.name || (this.mimeType === "application/pdf" ? "file.pdf" : "file");
  }

  /** What a finding says that this is: the type, else where it is. */
  said(): string {
    if (this.path === "") return `${this.mimeType || "media"} without bytes`;
    return this.mimeType || this.path || this.url || "";
  }

  /** Inline data as a `data:` URL. */
  dataUrl(): string {
    return `data:${this.mimeType};base64,${this.data}`;
  }

  /** Inline data as text, undefined if it is not UTF-8. */
  text(): string | undefined {
    const bytes = Uint8Array.from(atob((this.data ?? "").replace(/=+$/, "")), (char) => char.charCodeAt(0));
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return undefined;
    }
  }
}

/** Returns where an image's bytes are. */
export function imageMedia({ mimeType, data, url }: ImagePayload): Media {
  const plain = plainMime(mimeType);
  return data === undefined ? located(url ?? "", plain) : new Media(plain, { data });
}

/** Returns where a file's bytes are. */
export function fileMedia({ mimeType, path }: FileRefPayload): Media {
  return located(path, mimeType === undefined ? "" : plainMime(mimeType));
}

/** Returns where the bytes of a media part are; a name that it has counts. */
export function partMedia({ mimeType, source, name = "" }: TolerantMediaPayload): Media {
  const plain = plainMime(mimeType);
  // A source of a later version leads nowhere.
  if (source instanceof Unknown) return new Media(plain, { path: "" }, name, mimeType);
  if (source.kind === "inline") return new Media(plain, { data: source.data }, name, mimeType);
  if (source.kind === "ref") return new Media(plain, { path: source.ref }, name, mimeType);
  return located(source.url, plain, name, mimeType);
}

/** Returns what a URL or path leads to; the media type and the name that were given count. */
function located(where: string, mimeType: string, name = "", fullType = ""): Media {
  if (WEB.test(where)) return new Media(mimeType, { url: where }, name, fullType);
  const head = DATA.exec(where);
  if (head === null) return new Media(mimeType, { path: where }, name, fullType);
  const [whole, type, rest] = head as unknown as [string, string, string];
  const parameters = rest.split(";").map(stripped);
  const data = inline(where.slice(whole.length), parameters.at(-1)?.toLowerCase() === "base64");
  if (data === undefined) return new Media(mimeType, { path: where }, name, fullType);
  const named = parameters.find((each) => each.toLowerCase().startsWith("name="));
  const found = mimeType || plainMime(type) || DEFAULT_MIME;
  return new Media(found, { data }, name || (named === undefined ? "" : unquoted(named.slice(5))), fullType);
}

/** Returns the data of a `data:` URL as Base64, undefined where it is broken. */
function inline(text: string, isBase64: boolean): string | undefined {
  if (!isBase64) return base64Of(unquotedBytes(text));
  const data = withoutSpace(unquoted(text));
  return isWhole(data) ? data : undefined;
}

/** Tells whether text is Base64; behind whole groups it may end with "=" in any number. */
export function isWhole(text: string): boolean {
  let end = text.length;
  while (end > 0 && text[end - 1] === "=") end--;
  if (/[^A-Za-z0-9+/]/.test(text.slice(0, end))) return false;
  const pads = text.length - end;
  if (end % 4 === 0) return pads === 0 || end > 0;
  return end % 4 !== 1 && pads === 4 - (end % 4);
}

/** Returns text without percent-encoding; what is not UTF-8 becomes U+FFFD. */
function unquoted(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(unquotedBytes(run)),
  );
}

/** Returns the bytes that percent-encoded text spells. */
function unquotedBytes(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const pair = bytes[at] === 0x25 ? String.fromCharCode(...bytes.subarray(at + 1, at + 3)) : "";
    const isByte = /^[0-9A-Fa-f]{2}$/.test(pair);
    bytes[length++] = isByte ? parseInt(pair, 16) : (bytes[at] as number);
    if (isByte) at += 2;
  }
  return bytes.subarray(0, length);
}

function plainMime(mimeType: string): string {
  return stripped(mimeType.split(";", 1)[0] as string).toLowerCase();
}

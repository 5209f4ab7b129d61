/** Media: pieces of bytes as Base64, and the words that are said in it. */
import type { MediaDataDeltaPayload, MediaEndDeltaPayload } from "../../../contract/current/message.js";
import { isBase64 } from "../../../json/base64.js";
import { CallIds, type OpenCall } from "../ids.js";
import { wellFormed } from "../values.js";
import type { Items } from "./stream.js";
import { WholePartWriter } from "./whole-parts.js";

const BYTES = "application/octet-stream"; // of media whose type nobody says

/** Media that has been announced; it begins, as a part, with its first bytes. */
export class OpenMedia {
  /** The index of its part, -1 until it begins. */
  part = -1;
  /** What has been said in it, and is not written yet. */
  words = "";
  half = "";
  /** What the provider wants back with it: kind and data of each item. */
  readonly kept: [kind: string, data: unknown][] = [];

  constructor(
    public mediaId: string | undefined,
    readonly mimeType: string,
    readonly name: string | undefined,
  ) {}
}

/**
 * Returns Base64 as the contract writes it: the same bytes, bits beyond them zero. Undefined for
 * what is not Base64 of the standard alphabet, padded, without line breaks.
 */
export function wholeBase64(value: unknown): string | undefined {
  if (typeof value !== "string" || !isBase64(value)) return undefined;
  return value.endsWith("=") ? value.slice(0, -4) + btoa(atob(value.slice(-4))) : value;
}

/** Writes media, piece by piece. */
export class MediaWriter extends WholePartWriter {
  protected readonly media = new Set<OpenMedia>(); // in the order of their announcement
  readonly #mediaIds = new CallIds(this.ids.runId, []);

  /**
   * Announces media; its part begins with its first bytes. Its id is the provider's, else
   * `media_<request>_<ordinal>`.
   */
  openMedia(mediaId: string | undefined, mimeType: string | undefined, name?: string): OpenMedia {
    const type = mimeType === undefined || mimeType === "" ? BYTES : wellFormed(mimeType);
    const media = new OpenMedia(mediaId, type, name === undefined || name === "" ? undefined : wellFormed(name));
    this.media.add(media);
    return media;
  }

  /**
   * Appends `dataDelta`, Base64 by itself, or puts `data` in place of all bytes before. Returns
   * false where one of them is not Base64: the words are taken then all the same. What comes when
   * the media has ended is not written.
   */
  mediaData(media: OpenMedia, given: { dataDelta?: unknown; data?: unknown; transcript?: string }): boolean {
    const [delta, whole] = [wholeBase64(given.dataDelta), wholeBase64(given.data)];
    const isSound =
      (given.dataDelta === undefined || given.dataDelta === null || delta !== undefined) &&
      (given.data === undefined || given.data === null || whole !== undefined);
    if (!this.media.has(media)) return false;
    let { words } = media;
    if (given.transcript !== undefined && given.transcript !== "") {
      const [more, half] = this.whole(media.half + given.transcript);
      media.half = half;
      words += more;
    }
    const hasBytes = (delta ?? "") !== "" || (whole ?? "") !== "";
    if (!hasBytes && (media.part < 0 || words === "")) {
      media.words = words;
      return isSound;
    }
    if (media.part < 0) this.#beginMedia(media);
    media.words = "";
    const payload: MediaDataDeltaPayload = { mediaId: media.mediaId ?? "" };
    if (whole !== undefined && whole !== "") payload.data = whole;
    if (delta !== undefined && delta !== "") payload.dataDelta = delta;
    if (words !== "") payload.transcriptDelta = words;
    this.add("media_data", payload);
    return isSound;
  }

  #beginMedia(media: OpenMedia): void {
    this.breakPart();
    const mediaId = this.#mediaIds.take(media.mediaId, this.requestId, "media");
    media.mediaId = mediaId;
    this.newPart("media");
    media.part = this.part;
    const { mimeType, name } = media;
    this.add("media_start", { mediaId, mimeType, ...(name === undefined ? {} : { name }) });
  }

  /**
   * Ends media; `url` is where it is to be had, in place of bytes. Returns false where neither has
   * come: nothing has been written of it then, and `opaque` is not kept.
   */
  endMedia(
    media: OpenMedia,
    end: { mimeType?: string | undefined; url?: string | undefined } = {},
    opaque: Items = [],
  ): boolean {
    if (!this.media.has(media)) return media.part >= 0;
    const url = end.url ?? "";
    if (url !== "" && media.part < 0) this.#beginMedia(media);
    if (media.half !== "") {
      media.half = "";
      this.noteLone();
      media.words += "\ufffd";
    }
    if (media.part >= 0 && media.words !== "") this.mediaData(media, {});
    this.media.delete(media);
    if (media.part < 0) return false;
    for (const [kind, data] of [...media.kept, ...opaque]) this.state.keep({ kind, data, part: media.part });
    const payload: MediaEndDeltaPayload = { mediaId: media.mediaId ?? "" };
    const type = wellFormed(end.mimeType ?? "");
    if (type !== "" && type !== media.mimeType) payload.mimeType = type;
    if (url !== "") payload.source = { kind: "url", url: wellFormed(url) };
    const kept = this.state.isDue ? this.state.ofPart(media.part) : undefined;
    if (kept !== undefined) payload.opaque = kept;
    this.add("media_end", payload);
    return true;
  }

  /** Keeps provider state that belongs to a tool call, open or ended, or to open media. */
  keepWith(place: OpenCall | OpenMedia, kind: string, data: unknown): void {
    if (place instanceof OpenMedia && this.media.has(place)) place.kept.push([kind, data]);
    else this.state.keep({ kind, data, part: place.part });
  }
}

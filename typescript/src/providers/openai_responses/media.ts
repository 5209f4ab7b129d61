/** Images that a response makes, and its sound. */
import { type FindingLog, noteUnknownType } from "../core/findings.js";
import { spelledLike } from "../core/spelling.js";
import { type Members, member } from "../core/values.js";
import type { DeltaWriter, OpenMedia } from "../core/writer.js";
import type { Item } from "./items.js";

/** The item of an image. */
export const IMAGE = "image_generation_call";

const TYPES: ReadonlyMap<string, string> = new Map([["svg", "image/svg+xml"]]); // where the format's name is not that of the type
const PNG = "png"; // what is made where nothing is said
const SOUND = "response.audio.delta";
const WORDS = "response.audio.transcript.delta";

/** Writes the media of one response: an image for each item, and one sound. */
export class ResponsesMedia {
  #sound: OpenMedia | undefined;

  constructor(
    readonly writer: DeltaWriter,
    readonly log: FindingLog,
  ) {}

  /** Reads an image as far as it is sharp: it takes the place of the one before. */
  pieceOfImage(item: Item, event: Members): void {
    this.#show(item, event, "partial_image_b64", "/partial_image_b64");
  }

  /** Reads an image that is whole; returns false where it has no bytes. */
  image(item: Item, place: string): boolean {
    const { body } = item;
    const media = this.#show(item, body, "result", `${place}/result`);
    const kept = spelledLike(Object.fromEntries(Object.entries(body).filter(([name]) => name !== "result")), body);
    item.made = this.writer.endMedia(media, { mimeType: typeOf(body) }, [[item.kind, kept]]);
    return item.made;
  }

  #show(item: Item, said: Members, name: string, place: string): OpenMedia {
    item.media ??= this.writer.openMedia(item.id || undefined, typeOf(said));
    const data = member(said, name);
    if (data !== undefined && !this.writer.mediaData(item.media, { data })) {
      this.log.invalid(place, "bytes as Base64", data);
    }
    return item.media;
  }

  /** Reads a piece of sound, or of what is said in it. */
  sound(event: Members, kind: string): void {
    if (kind !== SOUND && kind !== WORDS) return; // its end, or that of its words
    const { writer } = this;
    this.#sound ??= writer.openMedia(undefined, undefined);
    const media = this.#sound;
    const delta = member(event, "delta");
    if (kind === WORDS) {
      writer.mediaData(media, { transcript: this.log.string(delta, "/delta") });
    } else if (!writer.mediaData(media, { dataDelta: delta })) {
      this.log.invalid("/delta", "bytes as Base64", delta);
    }
    if (media.part < 0) {
      writer.keepWith(media, "audio", event);
    } else {
      media.kept.length = 0; // its words are with the bytes
      noteUnknownType(this.log, "/type");
    }
  }

  /** Says what is kept as it came: words of a sound whose bytes never came. */
  finish(): void {
    if (this.#sound === undefined || this.#sound.part >= 0) return;
    const message = "The contract has no part for sound without bytes; it is kept beside the message";
    this.log.note("adapter/unsupported-content", message, "/type");
  }
}

function typeOf(said: Members): string {
  const given = member(said, "output_format");
  const name = typeof given === "string" && given !== "" ? given : PNG;
  return TYPES.get(name) ?? `image/${name}`;
}

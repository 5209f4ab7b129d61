/** Sound and images of an answer. */
import { sameJson } from "../../json/equality.js";
import { isObject } from "../../json/values.js";
import { webAddress } from "../core/citations.js";
import { type FindingLog, noteUnknownType, shown } from "../core/findings.js";
import { spelledAs } from "../core/spelling.js";
import { type Members, member, saidMember, stripped } from "../core/values.js";
import type { DeltaWriter, OpenMedia } from "../core/writer.js";

const DATA = /^data:([^;,]+)(?:;[^;,]*)*;base64,/i;
const PLACE = "/choices/0/delta";

/** Writes the sound of an answer, which comes in pieces, and its images, which come whole. */
export class ChatMedia {
  #sound: OpenMedia | undefined;
  #said: Members = {}; // of the sound: its id, and how long the vendor has it

  constructor(
    readonly writer: DeltaWriter,
    readonly log: FindingLog,
  ) {}

  /** Reads a piece of sound; returns false where it is none. */
  sound(audio: unknown): boolean {
    if (!isObject(audio)) return false;
    const own = saidMember(audio, "id");
    const known = member(this.#said, "id");
    if (own !== undefined && known !== undefined && !sameJson(known, own)) {
      this.finish();
      this.#sound = undefined;
    }
    if (this.#sound === undefined) {
      this.#said = {};
      this.#sound = this.writer.openMedia(typeof own === "string" ? own : undefined, undefined);
    }
    const media = this.#sound;
    for (const name of ["id", "expires_at"]) {
      const value = saidMember(audio, name);
      if (value !== undefined) this.#said = spelledAs({ ...this.#said, [name]: value }, this.#said, only(audio, name));
    }
    const transcript = this.log.string(member(audio, "transcript"), `${PLACE}/audio/transcript`);
    const data = saidMember(audio, "data");
    if (!this.writer.mediaData(media, { dataDelta: data, transcript })) {
      this.log.invalid(`${PLACE}/audio/data`, "bytes as Base64", data);
    }
    if (media.part < 0) {
      this.writer.keepWith(media, "audio", audio);
    } else {
      media.kept.length = 0; // all of it is with the bytes
      noteUnknownType(this.log, `${PLACE}/audio`);
    }
    return true;
  }

  /** Reads an image; returns false where it is none that can be shown. */
  image(image: unknown): boolean {
    const inner = isObject(image) ? member(image, "image_url") : undefined;
    const url = isObject(inner) ? member(inner, "url") : inner;
    if (typeof url !== "string") return false;
    const [head, type] = DATA.exec(url) ?? [];
    const address = webAddress(url);
    const media = this.writer.openMedia(undefined, type === undefined ? undefined : stripped(type).toLowerCase());
    if (head !== undefined) this.writer.mediaData(media, { data: url.slice(head.length) });
    else if (address !== undefined) noteUnknownType(this.log, `${PLACE}/images`);
    return this.writer.endMedia(media, { url: address });
  }

  /** Ends the sound: what the vendor wants back is its id. */
  finish(): void {
    const media = this.#sound;
    if (media === undefined) return;
    if (media.part < 0) {
      const message = "The contract has no part for sound without bytes; it is kept beside the message";
      this.log.note("adapter/unsupported-content", message, `${PLACE}/audio`, { actual: shown("audio") });
    } else if (this.#said["id"] !== undefined) {
      this.writer.keepWith(media, "audio", this.#said);
    }
  }
}

/** Returns one member alone, in its spelling. */
function only(holder: Members, name: string): Members {
  return spelledAs({ [name]: holder[name] }, holder);
}

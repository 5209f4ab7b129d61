/**
 * Media that comes in pieces.
 *
 * These deltas have been checked whole: they are what the schema says.
 */
import type {
  MediaDataDeltaPayload,
  MediaEndDeltaPayload,
  MediaStartDeltaPayload,
} from "../../contract/current/message.js";
import { utf8Length } from "../../json/text.js";
import type { StreamFields } from "./fields.js";
import { payloadSize } from "./payloads.js";
import { idAt, type Json, limitExceeded, mediaRefusal, refusal, usedId } from "./rules.js";
import { MediaSlot } from "./slots.js";

export function onMediaStart(state: StreamFields, given: Json, seq: number): void {
  const { mediaId, mimeType, name, opaque } = given as unknown as MediaStartDeltaPayload;
  idAt("/payload/mediaId", mediaId, seq, state.limits.idChars);
  if (state.media.has(mediaId)) throw usedId("stream/duplicate-media", "mediaId", mediaId, seq);
  state.checkParts(seq);
  const size = payloadSize(given, state.payloadLeft, state.limits, seq, "opaque");
  const packed = opaque === undefined ? undefined : state.packed(opaque, undefined, seq);
  state.payloadLeft -= size;
  const media = new MediaSlot(mediaId, mimeType, name);
  state.slots.push(media);
  state.media.set(mediaId, media);
  state.openMedia.set(mediaId, media);
  if (packed !== undefined) state.keepOpaque(media, packed);
}

export function onMediaData(state: StreamFields, given: Json, seq: number): void {
  const { mediaId, data, dataDelta, transcriptDelta = "" } = given as unknown as MediaDataDeltaPayload;
  const media = openMedia(state, mediaId, seq);
  const size = utf8Length(transcriptDelta);
  if (size > state.textLeft) throw limitExceeded("textBytes", state.limits.textBytes, seq);
  keepLetters(state, media, media.lettersWith(data, dataDelta), seq);
  media.take(data, dataDelta);
  media.transcript += transcriptDelta;
  state.textLeft -= size;
}

export function onMediaEnd(state: StreamFields, given: Json, seq: number): void {
  const { mediaId, mimeType, source, sizeBytes, opaque } = given as unknown as MediaEndDeltaPayload;
  const media = openMedia(state, mediaId, seq);
  if (source === undefined && media.size === 0) {
    const place = { pointer: "/payload", expected: "bytes before, or a source", actual: "neither" };
    throw refusal("stream/empty-media", "The media has neither bytes nor a source", seq, place);
  }
  const inline = source?.kind === "inline" ? source : undefined;
  const apart = inline === undefined ? ["opaque"] : ["opaque", "source"];
  const size = payloadSize(given, state.payloadLeft, state.limits, seq, ...apart);
  const packed = opaque === undefined ? undefined : state.packed(opaque, media.opaque, seq);
  if (source !== undefined) keepLetters(state, media, inline?.data.length ?? 0, seq);
  state.payloadLeft -= size;
  media.end(source);
  media.endType = mimeType;
  media.sizeBytes = sizeBytes;
  media.closedSeq = seq;
  state.openMedia.delete(mediaId);
  if (packed !== undefined) state.keepOpaque(media, packed);
}

function openMedia(state: StreamFields, id: string, seq: number): MediaSlot {
  const media = state.openMedia.get(id);
  if (media === undefined) throw mediaRefusal(id, state.media.get(id)?.closedSeq, seq);
  return media;
}

/** Lets so many letters of Base64 be held of the media. */
function keepLetters(state: StreamFields, media: MediaSlot, letters: number, seq: number): void {
  const left = state.mediaLeft + media.letters - letters;
  if (left < 0) throw limitExceeded("mediaBytes", state.limits.mediaBytes, seq);
  state.mediaLeft = left;
  media.letters = letters;
}

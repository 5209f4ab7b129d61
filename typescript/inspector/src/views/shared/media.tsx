/** Media of a message: what is inside the document is shown; what is elsewhere is named, and not fetched. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { bytesOf, decodedSize, mediaKind, safeName } from "../../model/media.js";
import { bytesWords } from "../../model/numbers.js";
import { saveFile } from "./files.js";
import { Visible } from "./visible.js";

export interface InlineMediaProps {
  readonly mimeType: string;
  readonly data: string;
  readonly name?: string | undefined;
}

/** Larger media is made ready on demand. */
const MOST_BYTES = 5_000_000;

export function InlineMedia({ mimeType, data, name }: InlineMediaProps) {
  const size = decodedSize(data);
  const kind = mediaKind(mimeType);
  const [isWanted, setWanted] = useState(size <= MOST_BYTES);
  const url = useBlobUrl(isWanted && kind !== "other" ? data : undefined, mimeType);
  const label = name ?? mimeType;
  const save = (): void => {
    const bytes = bytesOf(data);
    if (bytes !== undefined) saveFile(safeName(name ?? "media"), bytes, "application/octet-stream");
  };
  return (
    <figure class="media">
      {kind === "image" && url !== undefined && <img src={url} alt={label} loading="lazy" decoding="async" />}
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript, where there is one, is text beside it */}
      {kind === "audio" && url !== undefined && <audio controls preload="metadata" src={url} aria-label={label} />}
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript, where there is one, is text beside it */}
      {kind === "video" && url !== undefined && <video controls preload="metadata" src={url} aria-label={label} />}
      <figcaption>
        <Visible text={label} most={200} /> <span class="quiet">{bytesWords(size)}</span>{" "}
        {kind !== "other" && !isWanted && (
          <button type="button" class="small" onClick={() => setWanted(true)}>
            show
          </button>
        )}{" "}
        <button type="button" class="small" onClick={save}>
          save
        </button>
      </figcaption>
    </figure>
  );
}

/** Returns an address of bytes that is good until the view goes; undefined where the text is not Base64. */
function useBlobUrl(data: string | undefined, type: string): string | undefined {
  const url = useMemo(() => {
    const bytes = data === undefined ? undefined : bytesOf(data);
    return bytes === undefined ? undefined : URL.createObjectURL(new Blob([bytes], { type }));
  }, [data, type]);
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url]);
  return url;
}

/** Media that is elsewhere. */
export function ElsewhereMedia({ label, place }: { readonly label: string; readonly place: string }) {
  return (
    <p class="elsewhere">
      <span class="mark">not fetched</span> <Visible text={label} most={200} />: <Visible text={place} most={400} />
    </p>
  );
}

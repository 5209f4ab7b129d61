/** What the page is given to show: files inside it, files that are dropped or pasted, and live streams. */

/** A format that holds deltas, raw events, messages or anything else that the page knows. */
export interface As {
  /** `deltas`, a dialect, a format, `message`, `history`, `session`, `report`, `json`; absent: the page looks. */
  readonly as?: string;
  /** Whether a format's event stream is meant. */
  readonly run?: boolean;
  /** Whether a format's stored history is meant. */
  readonly history?: boolean;
}

/** What a conversion by the command line has lost. */
export interface SourceLoss {
  readonly pointer: string;
  readonly code: string;
  readonly severity: string;
  readonly detail?: string;
}

export interface Source extends As {
  /** Tells sources of one name apart. */
  readonly id: number;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The format from which the command line made these messages. */
  readonly readAs?: string;
  readonly losses?: readonly SourceLoss[];
  /** Where the bytes come from while they grow, relative to the page. */
  readonly live?: string;
}

interface Embedded extends As {
  readonly name: string;
  readonly gzip?: string;
  readonly live?: string;
  readonly readAs?: string;
  readonly losses?: readonly SourceLoss[];
}

/** Returns the sources that the page was given, of which there may be none. */
export async function embeddedSources(text: string): Promise<Source[]> {
  const data = JSON.parse(text) as { readonly sources: readonly Embedded[] } | null;
  return Promise.all((data?.sources ?? []).map(opened));
}

/** Returns a source that says that it is read as `as`, whatever it said before. */
export function withAs(source: Source, { as, run, history }: As): Source {
  const { as: _as, run: _run, history: _history, ...rest } = source;
  return { ...rest, ...(as !== undefined && { as }), ...(run && { run }), ...(history && { history }) };
}

let count = 0;

async function opened({ gzip, ...rest }: Embedded): Promise<Source> {
  return { ...rest, id: count++, bytes: gzip === undefined ? new Uint8Array(0) : await gunzip(base64(gzip)) };
}

/** Returns a file's content; one that is compressed by gzip is opened. */
export async function fileSource(file: File): Promise<Source> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return { id: count++, name: file.name, bytes: isGzip ? await gunzip(bytes) : bytes };
}

/** Returns a text that was pasted. */
export function textSource(text: string): Source {
  return { id: count++, name: "pasted text", bytes: new TextEncoder().encode(text) };
}

/** Returns the bytes of a Base64 text; throws DOMException where it is not one. */
export function base64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/** Returns what gzip compressed. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the text of the page's data with these sources in it: what {@link embeddedSources} reads. */
export async function embeddedText(sources: readonly Source[]): Promise<string> {
  const kept = sources.filter(({ live, bytes }) => live === undefined || bytes.length > 0);
  const embedded = kept.map(async ({ bytes, id: _id, live: _live, ...rest }) => ({
    ...rest,
    gzip: await gzipBase64(bytes),
  }));
  // Nothing in a name may end the script element.
  return JSON.stringify({ sources: await Promise.all(embedded) }).replaceAll("<", "\\u003c");
}

async function gzipBase64(bytes: Uint8Array): Promise<string> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let at = 0; at < packed.length; at += 0x8000) text += String.fromCharCode(...packed.subarray(at, at + 0x8000));
  return btoa(text);
}

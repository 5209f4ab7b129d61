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

/** Returns the sources that stand in the page, of which there may be none. */
export async function embeddedSources(text: string): Promise<Source[]> {
  const data = JSON.parse(text) as { readonly sources: readonly Embedded[] } | null;
  return Promise.all((data?.sources ?? []).map(opened));
}

async function opened({ gzip, ...rest }: Embedded): Promise<Source> {
  return { ...rest, bytes: gzip === undefined ? new Uint8Array(0) : await gunzip(base64(gzip)) };
}

/** Returns a file's content; one that is compressed by gzip is opened. */
export async function fileSource(file: File): Promise<Source> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return { name: file.name, bytes: isGzip ? await gunzip(bytes) : bytes };
}

/** Returns the bytes of a Base64 text; throws DOMException where it is not one. */
export function base64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Returns what gzip compressed. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

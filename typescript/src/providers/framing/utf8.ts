/** UTF-8, looked at byte by byte: where it ends to be it. */

const fatal = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the place of the first byte that is not part of UTF-8, -1 if there is none. */
export function badByte(data: Uint8Array): number {
  try {
    fatal.decode(data);
    return -1;
  } catch {
    for (let at = 0; at < data.length; ) {
      const size = characterSize(data, at);
      if (size === 0) return at;
      at += size;
    }
    return data.length;
  }
}

/** Returns `data` without a character that its end cuts off. */
export function wholeCharacters(data: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= data.length; back++) {
    const lead = data[data.length - back] as number;
    if ((lead & 0xc0) === 0x80) continue;
    const isCut = sizeAfter(lead) > back && isBegun(data, data.length - back, back);
    return isCut ? data.subarray(0, data.length - back) : data;
  }
  return data;
}

/** Returns how many bytes a character of this first byte has, 0 if none begins so. */
function sizeAfter(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Tells whether `count` bytes at `at` may begin a character: the second byte has its own bounds. */
function isBegun(data: Uint8Array, at: number, count: number): boolean {
  if (count < 2) return true;
  const lead = data[at] as number;
  const second = data[at + 1] as number;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return second >= least && second <= most;
}

/** Returns how many bytes the character at `at` has, 0 if there is none. */
function characterSize(data: Uint8Array, at: number): number {
  const size = sizeAfter(data[at] as number);
  if (size <= 1) return size;
  if (at + size > data.length || !isBegun(data, at, size)) return 0;
  for (let index = at + 1; index < at + size; index++) {
    if (((data[index] as number) & 0xc0) !== 0x80) return 0;
  }
  return size;
}

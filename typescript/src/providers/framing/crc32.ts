/** CRC-32 as zlib, PNG and AWS count it (ISO 3309): of bytes, as an unsigned number. */

const TABLE = /* @__PURE__ */ makeTable();

/** Returns the CRC-32 of `data`. */
export function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (let at = 0; at < data.length; at++) {
    crc = (crc >>> 8) ^ (TABLE[(crc ^ (data[at] as number)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function makeTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    table[byte] = crc;
  }
  return table;
}

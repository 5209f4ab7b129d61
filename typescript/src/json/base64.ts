/** Base64, of the alphabet of RFC 4648 and with padding. */

const PIECE = 8192; // bytes that go into one call

/** Returns bytes as Base64. */
export function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}

/** Tells whether `text` is Base64. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ""));
}

/** Returns the bytes that Base64 encodes, undefined for what is not Base64. */
export function bytesOf(base64: string): Uint8Array | undefined {
  return isBase64(base64) ? Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) : undefined;
}

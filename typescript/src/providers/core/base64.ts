/** Base64, of the alphabet of RFC 4648 and with padding. */

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns bytes as Base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Returns the bytes that Base64 stands for, undefined for what is none. */
export function bytesOf(base64: string): Uint8Array | undefined {
  return BASE64.test(base64) ? Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) : undefined;
}

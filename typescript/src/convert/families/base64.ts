const FORM = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Tells whether `text` is binary data as messages have it. */
export function isBase64(text: string): boolean {
  return FORM.test(text);
}

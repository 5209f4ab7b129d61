import type { JsonObject } from "../json/values.js";

/**
 * A part, delta, state or other variant whose tag this version does not know: what tolerant
 * reading leaves in its place. `document` is the JSON value verbatim, and is what is written back;
 * do not change it.
 */
export class Unknown {
  constructor(
    /** The member that distinguishes variants, such as `kind`. */
    readonly tagField: string,
    /** Its value, which is not known. */
    readonly tag: string,
    /** The whole value. */
    readonly document: JsonObject,
  ) {}

  /** What `JSON.stringify` writes: the document, unchanged. */
  toJSON(): JsonObject {
    return this.document;
  }
}

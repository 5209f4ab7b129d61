/** Ids of messages in a document that is written. */

import type { Json } from "./reading.js";

/** Returns the ids that messages have. */
export function givenIds(messages: readonly Json[]): Set<string> {
  const ids = messages.map((message) => message["messageId"] as string | undefined);
  return new Set(ids.filter((id) => id !== undefined));
}

/** Ids of messages, each of which may stand once: clients go by them. */
export class Ids {
  /** With what those begin that are made. */
  stem = "message";
  readonly #given: ReadonlySet<string>;
  readonly #used = new Set<string>();
  #number = 0;

  constructor(given: ReadonlySet<string> = new Set()) {
    this.#given = given;
  }

  /** Returns the id of a message; one that was used gets another. */
  of(message: Json): string {
    const given = message["messageId"] as string | undefined;
    return given ? this.made(given, given) : this.made("", this.stem);
  }

  /** Returns an id that is not used: the wanted one, or one that begins with `stem`. */
  made(wanted: string, stem: string): string {
    let made = wanted;
    while (made === "" || this.#used.has(made)) {
      this.#number++;
      made = `${stem}-${this.#number}`;
      if (this.#given.has(made)) made = "";
    }
    this.#used.add(made);
    return made;
  }
}

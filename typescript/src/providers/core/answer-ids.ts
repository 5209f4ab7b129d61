/**
 * Two answers in one stream, where nothing but the id of the pieces tells them apart. Some servers
 * make up an id for every piece: where ids changed before the answer was finished, they tell nothing.
 */
export class AnswerIds {
  #first: string | undefined;
  #changes = false;

  /** The id of the first piece that has one. */
  get first(): string | undefined {
    return this.#first;
  }

  /** Takes the id of a piece; tells whether it is of another answer than the first one. */
  isOther(said: unknown, finished: boolean): boolean {
    if (typeof said !== "string" || said === "" || said === this.#first) return false;
    if (this.#first === undefined) {
      this.#first = said;
      return false;
    }
    this.#changes ||= !finished;
    return !this.#changes;
  }
}

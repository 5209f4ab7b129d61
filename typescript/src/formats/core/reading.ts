/**
 * One document that is read: its losses, and the messages made so far.
 *
 * Nothing is lost in silence by construction: an object of the source is opened as {@link Members},
 * what a reader takes from it is gone from it, and what is left when it is closed is reported.
 */

import { type Binding, bind } from "../../contract/binding.js";
import { data } from "../../contract/current/message.checks.js";
import type { Message } from "../../contract/current/message.js";
import { inOrder, type Loss } from "../../convert/losses.js";
import { badArgument, clip, errorAt, ReadError } from "../../errors.js";
import type { FormatLossCode } from "../../generated/tables/losses.js";
import { sameJson } from "../../json/equality.js";
import { escapePointer } from "../../json/text.js";
import { isObject, own, put } from "../../json/values.js";
import { isTimestamp } from "../../message/assembler/rules.js";
import { readAs } from "../../reading/checks.js";
import { Losses } from "./lost.js";

export type Json = Record<string, unknown>;

const EPOCH = "1970-01-01T00:00:00Z";
const RUN = "run";
/** Messages, of the newest version: the walk alone decides, as compiled code would make each page far larger. */
export const MESSAGE: Binding = /* @__PURE__ */ bind("Message", data);

/** What the caller says for a source that does not say it; made up, and reported, where absent. */
export interface FormatContext {
  readonly runId?: string | undefined;
  /** RFC 3339. */
  readonly timestamp?: string | undefined;
}

/** The messages of a document, and what they do not say of it, by place in the document. */
export interface FormatResult {
  readonly messages: Message[];
  readonly losses: readonly Loss[];
}

/**
 * The members of an object of the source at `place`, until they are taken. A member that does not have
 * the type that is asked for stays, and is reported with the rest.
 */
export class Members {
  readonly place: string;
  readonly #left: Json;
  readonly #reading: Reading;

  constructor(value: Json, place: string, reading: Reading) {
    this.place = place;
    this.#left = { ...value };
    this.#reading = reading;
  }

  /** Tells whether a member is there that has not been taken; it may be null. */
  has(name: string): boolean {
    return Object.hasOwn(this.#left, name);
  }

  /** Returns the names of what has not been taken. */
  get names(): string[] {
    return Object.keys(this.#left);
  }

  /** Returns the place of a member. */
  at(name: string): string {
    return `${this.place}/${escapePointer(name)}`;
  }

  /** Returns a member without taking it; undefined where it is absent. */
  peek(name: string): unknown {
    return own(this.#left, name);
  }

  /** Gives a member another name, under which it is taken. */
  put(name: string, value: unknown): void {
    put(this.#left, name, value);
  }

  /** Takes a member, whatever it is; null where it is absent. */
  value(name: string): unknown {
    const value = this.peek(name);
    delete this.#left[name];
    return value ?? null;
  }

  /** Tells whether a member that has not been taken is text, and not empty. */
  hasText(name: string): boolean {
    const value = this.peek(name);
    return typeof value === "string" && value !== "";
  }

  /** Takes text. */
  text(name: string): string | undefined {
    return this.#take(name, isText);
  }

  /** Takes true or false. */
  flag(name: string): boolean | undefined {
    return this.#take(name, (value): value is boolean => typeof value === "boolean");
  }

  /** Takes a number of things. */
  count(name: string): number | undefined {
    return this.#take(name, (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
  }

  /** Takes a number from 0 to `most`. */
  number(name: string, most: number): number | undefined {
    return this.#take(name, (value): value is number => typeof value === "number" && value >= 0 && value <= most);
  }

  /** Takes an object. */
  object(name: string): Json | undefined {
    return this.#take(name, isObject);
  }

  /** Takes an array. */
  list(name: string): unknown[] | undefined {
    return this.#take(name, (value): value is unknown[] => Array.isArray(value));
  }

  /** Returns all that is left, for a reader of its own. */
  whole(): Json {
    return this.#left;
  }

  /** Takes a member that says nothing by one of `values`, such as a default; or null. */
  skip(name: string, ...values: readonly unknown[]): void {
    const value = this.peek(name);
    if (value === null || values.some((each) => sameJson(value, each))) delete this.#left[name];
  }

  /** Reports what has not been taken. */
  close(code: FormatLossCode = "foreign-member"): void {
    for (const [name, value] of Object.entries(this.#left)) {
      if (value !== null) this.#reading.note(code, this.at(name));
    }
  }

  #take<T>(name: string, fits: (value: unknown) => value is T): T | undefined {
    const value = this.peek(name);
    if (!fits(value)) return undefined;
    delete this.#left[name];
    return value;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

/** The reading of one document. Throws UsageError for a run or a time that cannot be one. */
export class Reading {
  readonly format: string;
  readonly runId: string;
  readonly timestamp: string;
  readonly messages: Json[] = [];
  readonly #losses = new Losses();
  #lacksRun = false;
  readonly isGiven: { readonly run: boolean; readonly time: boolean };
  #said: Json = {};
  #isNoted = false;

  constructor(format: string, context: FormatContext = {}) {
    const { runId, timestamp } = context;
    if (runId !== undefined && !(isText(runId) && runId !== "")) {
      throw badArgument("runId is wrong", "text that is not empty", runId);
    }
    if (timestamp !== undefined && !isTimestamp(timestamp)) {
      throw badArgument("timestamp is wrong", "an RFC 3339 time", timestamp);
    }
    this.format = format;
    this.runId = runId ?? RUN;
    this.timestamp = timestamp ?? EPOCH;
    this.isGiven = { run: runId !== undefined, time: timestamp !== undefined };
  }

  // --- losses -----------------------------------------------------------------------------------

  /** Notes a loss at a place of the source. */
  note(code: FormatLossCode, place: string): void {
    this.#losses.note(code, place);
  }

  /** The losses so far, as they came. */
  get losses(): Loss[] {
    return this.#losses.found;
  }

  /** Returns the losses since the last time, and forgets them. */
  takeLosses(): Loss[] {
    return this.#losses.take();
  }

  /** Notes that the run and the time are the caller's, or made up; once. */
  noteGiven(): void {
    if (this.#isNoted) return;
    this.#isNoted = true;
    const { run, time } = this.isGiven;
    this.note(run ? "given" : "run-id-invented", "");
    if (!run || !time) this.note(time ? "given" : "timestamp-invented", "");
  }

  /**
   * Takes the run and the time that a source says apart from the messages added next. A run that the
   * caller gives is the run of all messages.
   */
  says(said: { readonly runId?: string | undefined; readonly timestamp?: string | undefined }): void {
    this.#said = {};
    if (said.runId !== undefined && !this.isGiven.run) this.#said["runId"] = said.runId;
    if (said.timestamp !== undefined) this.#said["timestamp"] = said.timestamp;
  }

  /** Returns the error for a document that is not of the format. */
  refuse(place: string, expected: string, actual: unknown): ReadError {
    const message = `The document does not have the shape of ${this.format}`;
    return new ReadError(errorAt(place, "format/wrong-shape", message, expected, clip(actual)));
  }

  // --- the source -------------------------------------------------------------------------------

  /** Opens an object; throws ReadError where it is something else. */
  members(value: unknown, place: string): Members {
    if (!isObject(value)) throw this.refuse(place, "an object", value);
    return new Members(value, place, this);
  }

  /** Opens each object of an array, one after the other; throws ReadError for anything else. */
  *items(value: unknown, place: string): Generator<Members, void, undefined> {
    if (!Array.isArray(value)) throw this.refuse(place, "an array", value);
    for (const [number, each] of (value as unknown[]).entries()) yield this.members(each, `${place}/${number}`);
  }

  // --- the messages -----------------------------------------------------------------------------

  /** Adds a message, with the members that are not undefined, and returns it. */
  add(role: string, parts: readonly Json[], members: Json = {}): Json {
    const message: Json = { runId: this.runId, role, parts, ...this.#said };
    for (const [name, value] of Object.entries(members)) if (value !== undefined) put(message, name, value);
    if (members["runId"] === undefined && this.#said["runId"] === undefined) this.#lacksRun = true;
    if (message["timestamp"] === undefined) {
      this.note(this.isGiven.time ? "given" : "timestamp-invented", "");
      message["timestamp"] = this.timestamp;
    }
    this.messages.push(message);
    return message;
  }

  /** Returns the messages, and the losses in the order of the document. */
  finish(): FormatResult {
    if (this.#lacksRun) this.note(this.isGiven.run ? "given" : "run-id-invented", "");
    const messages = this.messages.map((message) => readAs(MESSAGE, message, "strict").value as Message);
    return { messages, losses: inOrder(this.#losses.found) };
  }
}

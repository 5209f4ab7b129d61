/**
 * What an encoder found: as data, with pointers into the request as a document.
 *
 * That document is `{messages, toolSpecs, systemPrompt, systemPromptContent, toolChoice, config}`,
 * which are the arguments of `encodeRequest` under the names of the contract.
 */
import { clip, type Finding } from "../../errors.js";
import { ENCODE } from "../../generated/severities.js";

/** What a finding may say beside its message. */
interface Words {
  readonly expected?: string;
  readonly actual?: string;
}

/** The findings of one request, in the order in which they were made. */
export class Notes {
  readonly findings: Finding[] = [];

  /** Notes a finding of a rule `encode/…`. */
  add(rule: keyof typeof ENCODE, message: string, pointer: string, words: Words = {}): void {
    this.findings.push({ rule, message, pointer, severity: ENCODE[rule], ...words });
  }

  /** Notes provider state that is not what an adapter writes; it is left out. */
  malformed(pointer: string, expected: string, actual: unknown): void {
    const message = "The provider's state does not have the form in which it was kept; it is left out";
    this.add("encode/malformed-state", message, pointer, { expected, actual: clip(actual) });
  }

  /** Notes provider state that is for readers, and goes back in no request. */
  responseOnly(pointer: string, kind: string): void {
    this.add("encode/response-only-state", `State of the kind ${kind} goes back in no request`, pointer);
  }

  /** Notes a part, or a part of a tool result, that the provider takes in no form. */
  unsupportedPart(pointer: string, expected: string, actual: string): void {
    const message = "The provider's format cannot say this part; it is left out";
    this.add("encode/unsupported-part", message, pointer, { expected, actual: clip(actual) });
  }

  /** Notes a request for approval, or an answer, that is not sent. */
  approvalLeftOut(pointer: string, why = "The provider's format has no place for this approval"): void {
    this.add("encode/approval-left-out", `${why}; it is left out`, pointer);
  }

  /** Notes which of these an approval has that is sent without them. */
  approvalMembers(pointer: string, members: Readonly<Record<string, unknown>>): void {
    const given = Object.keys(members).filter((name) => members[name] !== undefined);
    if (given.length === 0) return;
    const message = "The provider's format has no place for members of this approval";
    this.add("encode/approval-left-out", message, `${pointer}/payload`, { actual: given.join(", ") });
  }

  /** Notes a message of which nothing is left. */
  emptyMessage(pointer: string): void {
    this.add("encode/empty-message", "Nothing of this message can be sent; it is left out", pointer);
  }

  /** Notes a system message that changes its place. */
  movedSystem(pointer: string): void {
    this.add("encode/moved-system", "A system message behind others is sent before them all", pointer);
  }

  /** Notes a value of the configuration that the provider does not take. */
  unsupportedConfig(pointer: string, expected: string, actual: unknown): void {
    const message = "The provider's format cannot say this value; it is left out";
    this.add("encode/unsupported-config", message, pointer, { expected, actual: clip(actual) });
  }
}

/** One message of a conversation: who speaks, its parts, and how it ended. */

import type { Finding, Message, message } from "partwire";
import { isObject, own } from "../../../../src/json/values.js";
import { type DocumentFindings, type LinkedCall, type PartPlace, placeKey, timeOf } from "../../model/conversation.js";
import { numberWords } from "../../model/numbers.js";
import { FindingNote } from "../findings.js";
import { JsonTree } from "../json.js";
import { Fact } from "../shared/fact.js";
import { Fold } from "../shared/fold.js";
import { Visible } from "../shared/visible.js";
import { DataFold, type Part, PartView } from "./part.js";

export interface MessageProps {
  /** The number of the document, counted from 0. */
  readonly index: number;
  readonly document: unknown;
  /** The document as a message; undefined where it cannot be read as one. */
  readonly message: Message | undefined;
  readonly links: ReadonlyMap<string, LinkedCall>;
  readonly findings: DocumentFindings | undefined;
  readonly go: (place: PartPlace) => void;
}

const NONE: readonly Finding[] = [];

export function MessageView({ index, document, message: read, links, findings, go }: MessageProps) {
  const all = [...(findings?.whole ?? []), ...[...(findings?.parts.values() ?? [])].flat()];
  const author = read?.author && authorText(read.author);
  return (
    <article id={`message-${index}`} tabIndex={-1} class={`message role-${read?.role ?? "none"}`}>
      <header>
        <span class="number">{index + 1}</span> <b class="role">{read?.role ?? "not a message"}</b>{" "}
        {author !== undefined && <Visible text={author} most={200} />}
        {read !== undefined && (
          <span class="quiet head-facts">
            <Visible text={[read.meta?.modelId, timeOf(read)].filter(Boolean).join(" · ")} most={200} />
          </span>
        )}
      </header>
      {(read === undefined ? all : (findings?.whole ?? NONE)).map((finding, number) => (
        <FindingNote key={number} finding={finding} />
      ))}
      {read !== undefined && <Ending meta={read.meta} />}
      {((read?.parts ?? []) as readonly Part[]).map((part, number) => (
        <PartView
          key={number}
          part={part}
          place={{ document: index, part: number }}
          link={links.get(placeKey({ document: index, part: number }))}
          findings={findings?.parts.get(number) ?? NONE}
          go={go}
        />
      ))}
      {read !== undefined && read.parts.length === 0 && <p class="quiet">no parts</p>}
      {read?.meta !== undefined && <Figures meta={read.meta} />}
      <Fold label="Document" isOpen={read === undefined}>
        <JsonTree
          value={document}
          type="message.Message"
          pointer={`/${index}`}
          findings={all}
          label={`Message ${index + 1}`}
        />
      </Fold>
    </article>
  );
}

function authorText({ name, agentPath = [] }: message.Author): string {
  return [name, agentPath.length > 0 ? agentPath.join(" › ") : undefined]
    .filter((each) => each !== undefined)
    .join(", ");
}

const ENDINGS: Readonly<Record<string, string>> = {
  error: "ended with an error",
  cancelled: "was cancelled",
  truncated: "was cut off",
};

/** What is not as it should be: the stream did not end, calls could not be read, the provider warned. */
function Ending({ meta }: { readonly meta: message.MessageMeta | undefined }) {
  if (meta === undefined) return null;
  const { incomplete, toolCallParseErrors = [] } = meta;
  const warnings = Array.isArray(meta["warnings"]) ? (meta["warnings"] as readonly unknown[]) : [];
  const lost = [
    ["calls", incomplete?.openToolCallIds ?? []],
    ["media", incomplete?.openMediaIds ?? []],
  ] as const;
  return (
    <>
      {incomplete !== undefined && (
        <p class="ending">
          <span class="mark error">incomplete</span> The stream {ENDINGS[incomplete.ending] ?? incomplete.ending}.
          {lost.map(
            ([noun, ids]) =>
              ids.length > 0 && (
                <span key={noun}>
                  {" "}
                  Left out, since not finished: {noun} <Visible text={ids.join(", ")} most={200} />.
                </span>
              ),
          )}
        </p>
      )}
      {toolCallParseErrors.map(({ toolCallId, error }, index) => (
        <p key={index} class="ending">
          <span class="mark warning">arguments</span> of <Visible text={toolCallId} most={100} />:{" "}
          {error === "not_an_object" ? "JSON, but not an object" : "not JSON"}
        </p>
      ))}
      {warnings.map((warning, index) => (
        <p key={index} class="ending">
          <span class="mark warning">warning</span> <Visible text={warningText(warning)} most={400} />
        </p>
      ))}
    </>
  );
}

function warningText(warning: unknown): string {
  if (!isObject(warning)) return String(warning);
  const words = ["code", "place", "message"]
    .map((name) => own(warning, name))
    .filter((each) => typeof each === "string");
  return words.join(": ");
}

const SHOWN_ELSEWHERE = ["usage", "finishReason", "incomplete", "toolCallParseErrors", "warnings", "modelId"];

function Figures({ meta }: { readonly meta: message.MessageMeta }) {
  const { usage, finishReason } = meta;
  const provider = meta["providerFinishReason"];
  const reason = typeof provider === "string" ? `${finishReason ?? ""} (${provider})` : finishReason;
  const rest = Object.fromEntries(Object.entries(meta).filter(([name]) => !SHOWN_ELSEWHERE.includes(name)));
  return (
    <>
      {(reason !== undefined || usage !== undefined) && (
        <dl class="figures aside">
          {reason !== undefined && (
            <Fact name="finish reason">
              <Visible text={reason} most={100} />
            </Fact>
          )}
          {usage !== undefined && <Usage usage={Object.entries(usage)} />}
        </dl>
      )}
      {Object.keys(rest).length > 0 && <DataFold label="More of meta" value={rest} />}
    </>
  );
}

const FIGURE_WORDS: Readonly<Record<string, string>> = {
  inputTokens: "in",
  outputTokens: "out",
  totalTokens: "total",
  reasoningTokens: "reasoning",
  cacheReadTokens: "cache read",
  cacheWriteTokens: "cache written",
};

/** Figures of usage as items of a list. */
export function Usage({ usage }: { readonly usage: readonly (readonly [name: string, figure: unknown])[] }) {
  return (
    <>
      {usage.map(([name, figure]) => (
        <Fact key={name} name={FIGURE_WORDS[name] ?? name}>
          {typeof figure === "number" ? figureText(name, figure) : String(figure)}
        </Fact>
      ))}
    </>
  );
}

function figureText(name: string, figure: number): string {
  return name === "cost" ? `$${figure.toLocaleString("en", { maximumFractionDigits: 6 })}` : numberWords(figure);
}

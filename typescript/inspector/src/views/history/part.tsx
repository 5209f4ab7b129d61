/** One part of a message, by its kind. */

import type { Finding, message } from "partwire";
import { isObject } from "../../../../src/json/values.js";
import { citedPieces, kindOf, type LinkedCall, type PartPlace, placeKey } from "../../model/conversation.js";
import { numberWords } from "../../model/numbers.js";
import { FindingNote } from "../findings.js";
import { JsonTree } from "../json.js";
import { Fold, type FoldProps } from "../shared/fold.js";
import { ElsewhereMedia, InlineMedia } from "../shared/media.js";
import { Visible } from "../shared/visible.js";

export type Part = message.TolerantMessage["parts"][number];
type Payload<K extends message.MessagePart["kind"]> = Extract<message.MessagePart, { kind: K }>["payload"];

export interface PartProps {
  readonly part: Part;
  readonly place: PartPlace;
  readonly link: LinkedCall | undefined;
  readonly findings: readonly Finding[];
  /** Shows another part. */
  readonly go: (place: PartPlace) => void;
}

const WORDS: Readonly<Record<message.MessagePart["kind"], string>> = {
  text: "text",
  thinking: "thinking",
  tool_call: "call",
  tool_result: "result",
  image: "image",
  file_ref: "file",
  media: "media",
  server_tool_call: "call of the provider",
  server_tool_result: "result of the provider",
  approval_request: "approval asked",
  approval_response: "approval answered",
};

export function PartView({ part, place, link, findings, go }: PartProps) {
  const kind = kindOf(part);
  const opaque = kind !== undefined && (part as { payload: { opaque?: message.Opaque } }).payload.opaque;
  return (
    <div id={placeKey(place)} tabIndex={-1} class={`part kind-${kind ?? "unknown"}`}>
      {findings.map((finding, index) => (
        <FindingNote key={index} finding={finding} />
      ))}
      {link !== undefined && <Links kind={kind} place={place} link={link} go={go} />}
      <Content part={part} kind={kind} link={link} />
      {opaque && <DataFold label={`State of ${opaque.provider}`} value={opaque.data} />}
    </div>
  );
}

interface LinksProps extends Pick<PartProps, "place" | "go"> {
  readonly kind: message.MessagePart["kind"] | undefined;
  readonly link: LinkedCall;
}

/** The number of the call, and the way to all else that has it. */
function Links({ kind, place, link, go }: LinksProps) {
  const others = [
    ["call", [link.place]],
    ["approval asked", link.requests],
    ["approval answered", link.responses],
    ["result", link.results],
  ] as const;
  const isCall = kind === "tool_call" || kind === "server_tool_call";
  return (
    <p class="links">
      <span class="call-number">#{link.number}</span> {kind && WORDS[kind]}
      {others.flatMap(([label, places]) =>
        places
          .filter((each) => placeKey(each) !== placeKey(place))
          .map((each) => (
            <button key={placeKey(each)} type="button" class="small" onClick={() => go(each)}>
              {label} in {each.document === place.document ? "this message" : `message ${each.document + 1}`}
            </button>
          )),
      )}
      {isCall && link.results.length === 0 && <span class="mark warning">no result</span>}
    </p>
  );
}

function Content({ part, kind, link }: Pick<PartProps, "part" | "link"> & Pick<LinksProps, "kind">) {
  if (kind === undefined) {
    return (
      <>
        <p class="links">
          <span class="mark warning">a kind that this version does not know</span>
        </p>
        <JsonTree value={(part as { document?: unknown }).document ?? part} label="Part" />
      </>
    );
  }
  const { payload } = part as message.MessagePart;
  switch (kind) {
    case "text":
      return <TextPart payload={payload as Payload<"text">} />;
    case "thinking":
      return (
        <details class="thinking">
          <summary>Thinking</summary>
          <Visible text={(payload as Payload<"thinking">).text} />
        </details>
      );
    case "tool_call":
    case "server_tool_call":
      return <CallPart payload={payload as Payload<"tool_call">} />;
    case "tool_result":
    case "server_tool_result":
      return <ResultPart payload={payload as Payload<"tool_result">} name={link?.name} />;
    case "image": {
      const { mimeType, data, url } = payload as Payload<"image">;
      return data === undefined ? (
        <ElsewhereMedia label={mimeType} place={url ?? ""} />
      ) : (
        <InlineMedia mimeType={mimeType} data={data} />
      );
    }
    case "file_ref": {
      const { path, mimeType, size } = payload as Payload<"file_ref">;
      const label = ["file", mimeType, size === undefined ? undefined : `${numberWords(size)} bytes`];
      return <ElsewhereMedia label={label.filter((each) => each !== undefined).join(", ")} place={path} />;
    }
    case "media":
      return <MediaPart payload={payload as Payload<"media">} />;
    case "approval_request":
      return <RequestPart payload={payload as Payload<"approval_request">} />;
    case "approval_response":
      return <ResponsePart payload={payload as Payload<"approval_response">} />;
  }
}

function TextPart({ payload: { text, citations = [], format } }: { readonly payload: Payload<"text"> }) {
  const pieces = citations.length === 0 ? [{ text, notes: [] }] : citedPieces(text, citations);
  return (
    <>
      {format !== undefined && <p class="aside">as JSON{format.name === undefined ? "" : `, form ${format.name}`}</p>}
      <div class="text">
        {pieces.map(({ text: piece, notes }, index) => (
          <span key={index}>
            <Visible text={piece} />
            {notes.map((number) => (
              <sup key={number} class="note-number">
                [{number}]
              </sup>
            ))}
          </span>
        ))}
      </div>
      {citations.length > 0 && (
        <ol class="footnotes" aria-label="Citations">
          {citations.map((citation, index) => (
            <li key={index}>
              <Citation citation={citation} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function Citation({ citation: { source, quotedText } }: { readonly citation: message.Citation }) {
  const { kind, title, url, id, locator } = source;
  const place = locator && `${locator.unit} ${locator.start}${locator.end === undefined ? "" : ` to ${locator.end}`}`;
  const said = [title, url, id === undefined ? undefined : `${kind} ${id}`, place].filter((each) => each !== undefined);
  return (
    <>
      <Visible text={said.length > 0 ? said.join(", ") : kind} most={400} />
      {quotedText !== undefined && (
        <blockquote>
          <Visible text={quotedText} most={600} />
        </blockquote>
      )}
    </>
  );
}

function CallPart({ payload }: { readonly payload: Payload<"tool_call"> }) {
  const { toolName, toolCallId, arguments: given, rawArgsText } = payload;
  return (
    <>
      <p class="call-head">
        <b>
          <Visible text={toolName} most={200} />
        </b>{" "}
        <span class="id">
          <Visible text={toolCallId} most={100} />
        </span>
      </p>
      {rawArgsText !== undefined && (
        <p>
          <span class="mark warning">argument text as it came</span>{" "}
          <code>
            <Visible text={rawArgsText} />
          </code>
        </p>
      )}
      {(rawArgsText === undefined || Object.keys(given).length > 0) && <JsonTree value={given} label="Arguments" />}
    </>
  );
}

interface ResultPartProps {
  readonly payload: Payload<"tool_result">;
  readonly name: string | undefined;
}

function ResultPart({ payload, name }: ResultPartProps) {
  const { toolCallId, isError, content, outcome, structured } = payload;
  return (
    <>
      <p class="call-head">
        {name !== undefined && (
          <b>
            <Visible text={name} most={200} />
          </b>
        )}{" "}
        <span class="id">
          <Visible text={toolCallId} most={100} />
        </span>{" "}
        {isError ? <span class="mark error">failed</span> : <span class="mark good">result</span>}{" "}
        {outcome !== undefined && <span class="mark">{outcome}</span>}
      </p>
      <ResultContent content={content} />
      {structured !== undefined && <DataFold label="The same as data" value={structured} isOpen />}
    </>
  );
}

function ResultContent({ content }: { readonly content: unknown }) {
  if (typeof content === "string") {
    return (
      <div class="text">
        <Visible text={content} most={2000} />
      </div>
    );
  }
  if (!Array.isArray(content)) return <JsonTree value={content} label="Result" />;
  return (
    <>
      {(content as readonly Part[]).map((part, index) => (
        <Content key={index} part={part} kind={isObject(part) ? kindOf(part) : undefined} link={undefined} />
      ))}
    </>
  );
}

function MediaPart({ payload }: { readonly payload: Payload<"media"> }) {
  const { mimeType, source, name, transcript } = payload;
  const label = name ?? mimeType;
  return (
    <>
      {source.kind === "inline" && <InlineMedia mimeType={mimeType} data={source.data} name={name} />}
      {source.kind === "url" && <ElsewhereMedia label={label} place={source.url} />}
      {source.kind === "ref" && <ElsewhereMedia label={label} place={source.ref} />}
      {!["inline", "url", "ref"].includes(source.kind) && (
        <JsonTree value={(source as { document?: unknown }).document ?? source} label="Source" />
      )}
      {transcript !== undefined && (
        <p class="text">
          <span class="quiet">Transcript:</span> <Visible text={transcript} />
        </p>
      )}
    </>
  );
}

function RequestPart({ payload }: { readonly payload: Payload<"approval_request"> }) {
  const { approvalId, toolCallId, reason, choices = [], requestedAt } = payload;
  return (
    <>
      <p class="call-head">
        <b>May this call run?</b>{" "}
        <span class="id">
          <Visible text={`${approvalId} for ${toolCallId}`} most={200} />
        </span>
      </p>
      <Reason text={reason} />
      {choices.length > 0 && (
        <ul class="choices">
          {choices.map(({ id, label, decision }, index) => (
            <li key={index}>
              <Visible text={label ?? id} most={200} /> {decision !== undefined && <span class="mark">{decision}</span>}
            </li>
          ))}
        </ul>
      )}
      {requestedAt !== undefined && <p class="aside">asked {requestedAt}</p>}
    </>
  );
}

function ResponsePart({ payload }: { readonly payload: Payload<"approval_response"> }) {
  const { approvalId, decision, choice, reason, decidedBy, decidedAt, arguments: given } = payload;
  const said = [
    choice === undefined ? undefined : `choice ${choice}`,
    decidedBy === undefined ? undefined : `by ${decidedBy}`,
    decidedAt,
  ].filter((each) => each !== undefined);
  return (
    <>
      <p class="call-head">
        <span class={`mark ${decision === "approved" ? "good" : "error"}`}>
          <Visible text={decision} most={100} />
        </span>{" "}
        <span class="id">
          <Visible text={approvalId} most={100} />
        </span>
      </p>
      <Reason text={reason} />
      {said.length > 0 && (
        <p class="aside">
          <Visible text={said.join(", ")} most={300} />
        </p>
      )}
      {given !== undefined && <DataFold label="Runs with these arguments instead" value={given} isOpen />}
    </>
  );
}

function Reason({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="text">
      <Visible text={text} />
    </p>
  );
}

/** Data of less interest. */
export function DataFold({ value, ...fold }: Omit<FoldProps, "children"> & { readonly value: unknown }) {
  return (
    <Fold {...fold}>
      <JsonTree value={value} label={fold.label} />
    </Fold>
  );
}

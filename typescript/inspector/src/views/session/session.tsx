/** Messages of a session with their parts, and the states of their tool calls. */

import type { Finding } from "partwire";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { isObject, own } from "../../../../src/json/values.js";
import { type Way, wayOf } from "../../model/call-way.js";
import { placeFindings } from "../../model/conversation.js";
import type { OpenedSession } from "../../model/opened.js";
import { statesOfCalls } from "../../model/session.js";
import { FindingList, FindingNote } from "../findings.js";
import { JsonTree } from "../json.js";
import { Fold } from "../shared/fold.js";
import { ElsewhereMedia } from "../shared/media.js";
import { Pager } from "../shared/pager.js";
import { Tabs } from "../shared/tabs.js";
import { Visible } from "../shared/visible.js";
import { StateDiagram } from "./diagram.js";
import "./session.css";
import { numberWords } from "../../model/numbers.js";
import { Fact } from "../shared/fact.js";

type Json = Readonly<Record<string, unknown>>;
const PAGE = 50;
const NONE: readonly Finding[] = [];

export function SessionView({ opened: { documents, findings } }: { readonly opened: OpenedSession }) {
  const placed = useMemo(() => placeFindings(findings), [findings]);
  const states = useMemo(() => statesOfCalls(documents), [documents]);
  const [page, setPage] = useState(0);
  const messages = (): ComponentChildren => (
    <>
      <Pager noun="Messages" count={documents.length} size={PAGE} page={page} onPage={setPage} />
      {documents.slice(page * PAGE, (page + 1) * PAGE).map((document, number) => {
        const index = page * PAGE + number;
        const found = placed.get(index);
        const parts = isObject(document) ? own(document, "parts") : undefined;
        const info = isObject(document) ? own(document, "info") : undefined;
        return (
          <article key={index} class="session-message">
            <Info info={info} index={index} />
            {(found?.whole ?? NONE).map((finding, at) => (
              <FindingNote key={at} finding={finding} />
            ))}
            {(Array.isArray(parts) ? parts : []).map((part, at) => (
              <PartView
                key={at}
                part={part}
                findings={found?.parts.get(at) ?? NONE}
                states={states.get(`${index}/${at}`) ?? []}
              />
            ))}
            <Fold label="Document">
              <JsonTree
                value={document}
                type="session.WithParts"
                pointer={`/${index}`}
                findings={findings.filter(({ pointer }) => pointer.split("/")[1] === String(index))}
                label={`Message ${index + 1}`}
              />
            </Fold>
          </article>
        );
      })}
    </>
  );
  const tabs = [
    { label: `Messages (${numberWords(documents.length)})`, content: messages },
    {
      label: `Findings (${numberWords(findings.length)})`,
      content: () => <FindingList findings={findings} />,
    },
  ];
  return (
    <main class="documents session">
      <Tabs label="Views of the session" tabs={tabs} />
    </main>
  );
}

function Info({ info, index }: { readonly info: unknown; readonly index: number }) {
  if (!isObject(info)) return <h2>{index + 1}: no info</h2>;
  const { role, id, agent, time, cost, tokens, path, model, ...rest } = info;
  const facts: readonly (readonly [name: string, text: string | undefined])[] = [
    ["id", textOf(id)],
    ["agent", textOf(agent)],
    ["model", isObject(model) ? `${textOf(model["providerID"])}/${textOf(model["modelID"])}` : undefined],
    ["created", timeText(memberOf(time, "created"))],
    ["completed", timeText(memberOf(time, "completed"))],
    ["folder", textOf(memberOf(path, "cwd"))],
    ["cost", typeof cost === "number" ? `$${cost}` : undefined],
    ["tokens", isObject(tokens) ? tokensText(tokens) : undefined],
  ];
  return (
    <>
      <h2>
        {index + 1}: <Visible text={textOf(role) ?? "no role"} most={50} />
      </h2>
      <Facts facts={facts} />
      {Object.keys(rest).length > 0 && (
        <Fold label="More of info">
          <JsonTree value={rest} label="Info" />
        </Fold>
      )}
    </>
  );
}

function Facts({ facts }: { readonly facts: readonly (readonly [name: string, text: string | undefined])[] }) {
  return (
    <dl class="figures">
      {facts.map(
        ([name, text]) =>
          text !== undefined && (
            <Fact key={name} name={name}>
              <Visible text={text} most={200} />
            </Fact>
          ),
      )}
    </dl>
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? own(value, name) : undefined;
}

function timeText(value: unknown): string | undefined {
  if (typeof value !== "number") return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
}

function tokensText(tokens: Json): string {
  const { input, output, reasoning, cache } = tokens;
  const kept = isObject(cache) ? `, cache ${String(cache["read"])} read, ${String(cache["write"])} written` : "";
  return `${String(input)} in, ${String(output)} out, ${String(reasoning)} reasoning${kept}`;
}

interface PartProps {
  readonly part: unknown;
  readonly findings: readonly Finding[];
  /** The states of the call, as far as the documents show them up to this one. */
  readonly states: readonly unknown[];
}

function PartView({ part, findings, states }: PartProps) {
  const type = textOf(memberOf(part, "type")) ?? "no type";
  return (
    <section class="session-part">
      <p class="aside">
        <span class="mark">
          <Visible text={type} most={50} />
        </span>{" "}
        <Visible text={textOf(memberOf(part, "id")) ?? ""} most={100} />
      </p>
      {findings.map((finding, index) => (
        <FindingNote key={index} finding={finding} />
      ))}
      <Content part={part} type={type} states={states} />
    </section>
  );
}

function Content({ part, type, states }: Pick<PartProps, "part" | "states"> & { readonly type: string }) {
  if (!isObject(part)) return <JsonTree value={part} label="Part" />;
  const { text, time } = part;
  switch (type) {
    case "text":
      return (
        <>
          <Flags part={part} names={["synthetic", "ignored"]} />
          <Visible text={textOf(text) ?? ""} />
        </>
      );
    case "reasoning":
      return (
        <details>
          <summary>
            Reasoning {timeText(memberOf(time, "start"))} {durationText(time)}
          </summary>
          <Visible text={textOf(text) ?? ""} />
        </details>
      );
    case "tool":
      return <Tool part={part} states={states} />;
    case "file":
      return (
        <ElsewhereMedia
          label={textOf(part["filename"]) ?? textOf(part["mime"]) ?? "file"}
          place={textOf(part["url"]) ?? ""}
        />
      );
    case "step-start":
      return <p class="quiet">A step begins.</p>;
    case "step-finish": {
      const { reason, cost, tokens } = part;
      return (
        <Facts
          facts={[
            ["the step ended by", textOf(reason)],
            ["cost", typeof cost === "number" ? `$${cost}` : undefined],
            ["tokens", isObject(tokens) ? tokensText(tokens) : undefined],
          ]}
        />
      );
    }
    default:
      return <JsonTree value={part} label="Part" />;
  }
}

function Flags({ part, names }: { readonly part: Json; readonly names: readonly string[] }) {
  return <>{names.map((name) => part[name] === true && <span class="mark warning">{name}</span>)}</>;
}

function durationText(time: unknown): string {
  const [start, end] = [memberOf(time, "start"), memberOf(time, "end")];
  return typeof start === "number" && typeof end === "number" ? secondsText(end - start) : "";
}

function secondsText(milliseconds: number): string {
  return `${numberWords(milliseconds / 1000)} s`;
}

function Tool({ part, states }: { readonly part: Json; readonly states: readonly unknown[] }) {
  const { tool, callID, state } = part;
  const way = useMemo(() => wayOf(states), [states]);
  const problems = way.moves.flatMap(({ problem }) => problem ?? []);
  const { input, raw, output, error, title, metadata, approval, attachments } = isObject(state) ? state : ({} as Json);
  return (
    <div class="tool">
      <p>
        <b>
          <Visible text={textOf(tool) ?? ""} most={200} />
        </b>{" "}
        <span class="rule">
          <Visible text={textOf(callID) ?? ""} most={100} />
        </span>{" "}
        {textOf(title) !== undefined && <Visible text={textOf(title) ?? ""} most={200} />}
      </p>
      <StateDiagram way={way} notes={notesOf(way)} />
      {problems.map((problem, index) => (
        <p key={index}>
          <span class="mark error">not allowed</span> <Visible text={problem} most={200} />
        </p>
      ))}
      <Times way={way} state={state} />
      {input !== undefined && <Named name="Input" value={input} />}
      {textOf(raw) !== undefined && <Named name="Argument text" value={raw} />}
      {approval !== undefined && <Named name="Approval" value={approval} />}
      {output !== undefined && <Named name="Output" value={output} />}
      {error !== undefined && <Named name="Error" value={error} />}
      {attachments !== undefined && <Named name="Attachments" value={attachments} />}
      {isObject(metadata) && Object.keys(metadata).length > 0 && <Named name="Metadata" value={metadata} />}
    </div>
  );
}

/** Says at each state when it began: the first time in full, the others by how much later. */
function notesOf({ stops }: Way): Record<string, string> {
  const first = stops.find(({ at }) => at !== undefined)?.at;
  return Object.fromEntries(
    stops.flatMap(({ status, at }) => {
      if (at === undefined || first === undefined) return [];
      const clock = timeText(at)?.slice(11, 23) ?? String(at);
      return [
        [status, at === first ? clock : `${clock} (${at < first ? "−" : "+"}${secondsText(Math.abs(at - first))})`],
      ];
    }),
  );
}

function Times({ way, state }: { readonly way: Way; readonly state: unknown }) {
  const approval = memberOf(memberOf(state, "approval"), "time");
  const time = memberOf(state, "time");
  return (
    <Facts
      facts={[
        ...way.stops.map(
          ({ status, at, inferred }) => [`${status}${inferred ? " (inferred)" : ""}`, timeText(at) ?? ""] as const,
        ),
        ["decided", timeText(memberOf(approval, "decided"))],
        ["ran for", durationText(time) || undefined],
        ["output dropped", timeText(memberOf(time, "compacted"))],
      ]}
    />
  );
}

function Named({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <div class="named">
      <h3>{name}</h3>
      {typeof value === "string" ? <Visible text={value} most={2000} /> : <JsonTree value={value} label={name} />}
    </div>
  );
}

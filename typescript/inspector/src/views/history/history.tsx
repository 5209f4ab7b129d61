/** A history as a conversation. */

import type { Finding } from "partwire";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import {
  linkCalls,
  type PartPlace,
  placeFindings,
  placeKey,
  placeOfPointer,
  totalsOf,
} from "../../model/conversation.js";
import type { OpenedHistory } from "../../model/opened.js";
import { FindingList } from "../findings.js";
import { Losses } from "../losses.js";
import { Pager } from "../shared/pager.js";
import { type Tab, Tabs } from "../shared/tabs.js";
import { MessageView, Usage } from "./message.js";
import { RepairView } from "./repair.js";
import "./history.css";
import { numberWords } from "../../model/numbers.js";
import { Fact } from "../shared/fact.js";

/** How many messages a page has. */
const PAGE = 100;

/** A place that is to be shown; an object each time, so that the same one can be asked for again. */
interface Target {
  readonly document: number;
  readonly element: string;
}

export function HistoryView({ opened }: { readonly opened: OpenedHistory }) {
  const { documents, messages, places, findings, losses } = opened;
  const links = useMemo(() => linkCalls(messages, places), [messages, places]);
  const placed = useMemo(() => placeFindings(findings), [findings]);
  const totals = useMemo(() => totalsOf(messages), [messages]);
  const byDocument = useMemo(
    () => new Map(places.map((place, index) => [place, messages[index]] as const)),
    [messages, places],
  );
  const [tab, setTab] = useState(0);
  const [page, setPage] = useState(0);
  const [target, setTarget] = useState<Target>();
  const show = (found: Target): void => {
    setTab(0);
    setPage(Math.floor(found.document / PAGE));
    setTarget(found);
  };
  const go = (place: PartPlace): void => show({ document: place.document, element: placeKey(place) });
  const goTo = (pointer: string): void => {
    const { document = 0, part } = placeOfPointer(pointer);
    const isThere = part !== undefined && byDocument.get(document)?.parts[part] !== undefined;
    show({ document, element: isThere ? placeKey({ document, part }) : `message-${document}` });
  };
  useEffect(() => {
    if (target === undefined) return;
    const element = document.getElementById(target.element);
    element?.scrollIntoView({ block: "center" });
    element?.focus({ preventScroll: true });
  }, [target]);

  const pager = (where: string): ComponentChildren => (
    <Pager noun="Messages" where={where} count={documents.length} size={PAGE} page={page} onPage={setPage} />
  );
  const tabs: Tab[] = [
    {
      label: "Conversation",
      content: () => (
        <>
          {pager(", above")}
          {documents.slice(page * PAGE, (page + 1) * PAGE).map((document, index) => {
            const number = page * PAGE + index;
            return (
              <MessageView
                key={number}
                index={number}
                document={document}
                message={byDocument.get(number)}
                links={links}
                findings={placed.get(number)}
                go={go}
              />
            );
          })}
          {pager(", below")}
        </>
      ),
    },
    {
      label: `Findings (${numberWords(findings.length)})`,
      content: () => <HistoryFindings findings={findings} goTo={goTo} />,
    },
    { label: "Repair", content: () => <RepairView documents={documents} go={goTo} /> },
    ...(losses.length > 0
      ? [
          {
            label: `Lost in reading (${numberWords(losses.length)})`,
            content: () => <Losses losses={losses} />,
          },
        ]
      : []),
  ];
  return (
    <main class="documents history">
      <dl class="figures">
        <Fact name="messages">{numberWords(documents.length)}</Fact>
        {totals.roles.map(([role, count]) => (
          <Fact key={role} name={role}>
            {numberWords(count)}
          </Fact>
        ))}
        {totals.incomplete > 0 && <Fact name="incomplete">{numberWords(totals.incomplete)}</Fact>}
      </dl>
      {(totals.usage.length > 0 || totals.finishReasons.length > 0) && (
        <dl class="figures">
          {totals.usage.length > 0 && (
            <div>
              <dt>usage of {numberWords(totals.counted)} messages:</dt>
            </div>
          )}
          <Usage usage={totals.usage} />
          {totals.finishReasons.map(([reason, count]) => (
            <Fact key={reason} name={`finished by ${reason}`}>
              {numberWords(count)}
            </Fact>
          ))}
        </dl>
      )}
      <Tabs label="Views of the history" tabs={tabs} current={tab} onSelect={setTab} />
    </main>
  );
}

interface HistoryFindingsProps {
  readonly findings: readonly Finding[];
  readonly goTo: (pointer: string) => void;
}

function HistoryFindings({ findings, goTo }: HistoryFindingsProps) {
  const [chosen, setChosen] = useState<Finding>();
  return (
    <>
      {chosen !== undefined && (
        <p>
          <button type="button" class="small" onClick={() => goTo(chosen.pointer)}>
            Show {chosen.pointer} in the conversation
          </button>
        </p>
      )}
      <FindingList findings={findings} onSelect={setChosen} />
    </>
  );
}

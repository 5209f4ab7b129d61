/** Panels of which one is shown. */

import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

export interface Tab {
  readonly label: string;
  readonly content: () => ComponentChildren;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The tab that is shown, where the parent says it. */
  readonly current?: number;
  readonly onSelect?: (index: number) => void;
}

export function Tabs({ label, tabs, current, onSelect }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState(0);
  const chosen = Math.min(current ?? own, tabs.length - 1);
  const select = (index: number): void => {
    setOwn(index);
    onSelect?.(index);
    (list.current?.children[index] as HTMLElement | undefined)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (chosen + 1) % tabs.length,
      ArrowLeft: (chosen + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(target);
  };
  return (
    <div class="tab-set">
      <div ref={list} role="tablist" aria-label={label} class="tab-list" onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <button
            key={tab.label}
            id={`${id}-tab-${index}`}
            type="button"
            role="tab"
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => select(index)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-tab-${chosen}`}>
        {tabs[chosen]?.content()}
      </div>
    </div>
  );
}

/** Which call a result answers, by the ids that the source has, or by name and order. */

/** A call of a tool: its id in the messages, its tool, and the id that the source gives it. */
export interface OpenCall {
  readonly callId: string;
  readonly name: string;
  readonly own: string | undefined;
}

/** Calls in the order of the source; what is before `from` has been passed. */
interface Queue {
  readonly calls: OpenCall[];
  from: number;
}

/**
 * The calls of one history. Some sources use an id again, others have no ids: a result is that of the
 * first call that still waits and fits, as results come in the order of their calls.
 */
export class Calls {
  readonly #waiting = new Set<string>();
  readonly #all: Queue = { calls: [], from: 0 };
  readonly #byOwn = new Map<string, Queue>();
  readonly #byName = new Map<string, Queue>();

  /** Adds a call. */
  add(call: OpenCall): void {
    this.#waiting.add(call.callId);
    this.#all.calls.push(call);
    queueOf(this.#byName, call.name).calls.push(call);
    if (call.own !== undefined) queueOf(this.#byOwn, call.own).calls.push(call);
  }

  /** Returns the call that a result with an id answers; the last one where none waits. */
  ofId(own: string): OpenCall | undefined {
    const queue = this.#byOwn.get(own);
    if (queue === undefined) return undefined;
    this.#pass(queue, queue.calls.length - 1);
    return this.#answer(queue.calls[queue.from]);
  }

  /** Returns the call that a result without an id answers, undefined where none waits. */
  ofName(name: string | undefined): OpenCall | undefined {
    const queue = name === undefined ? this.#all : this.#byName.get(name);
    if (queue === undefined) return undefined;
    this.#pass(queue, queue.calls.length);
    return this.#answer(queue.calls[queue.from]);
  }

  /** Passes calls that do not wait, up to the one at `end`. */
  #pass(queue: Queue, end: number): void {
    while (queue.from < end && !this.#waiting.has(queue.calls[queue.from]?.callId ?? "")) queue.from++;
  }

  #answer(call: OpenCall | undefined): OpenCall | undefined {
    if (call !== undefined) this.#waiting.delete(call.callId);
    return call;
  }
}

function queueOf(queues: Map<string, Queue>, key: string): Queue {
  let queue = queues.get(key);
  if (queue === undefined) queues.set(key, (queue = { calls: [], from: 0 }));
  return queue;
}

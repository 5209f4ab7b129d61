/** Tool states: transition. */
import { expire, failPending, InvalidStateTransition, read, toWire, transition, validate } from "../../dist/index.js";
import { camelKeys, guarded, placeOf } from "./values.js";

/** Returns the state that a run gives; one that is not valid may be running, with input and time. */
export function stateOf(document) {
  if (validate(document, "session.ToolState").length === 0) return read(document, "session.ToolState");
  const { status, input, time } = document;
  const names = typeof time === "object" && time !== null ? Object.keys(time).join() : undefined;
  if (status !== "running" || input === undefined || names !== "start") {
    throw new TypeError("a state that is not valid has to be running, with input and start");
  }
  return { status: "running", input, time };
}

export function moveOn(asked) {
  const given = { ...asked, state: stateOf(asked.state) };
  const before = JSON.stringify(given.state);
  const result = guarded(
    () => {
      const after = moved(given);
      return after === given.state ? { same: true } : { state: toWire(after, "session.ToolState") };
    },
    (error) => ({
      error: placeOf(error),
      ...(error instanceof InvalidStateTransition ? { details: error.toDocument().details } : {}),
    }),
  );
  if (JSON.stringify(given.state) !== before) throw new Error("the given state has changed");
  return { ...result, before: asked.state };
}

function moved({ call, state, to, fields }) {
  if (call === "expire") return expire(state, fields.now, fields.timeout_ms, fields.error);
  if (call === "fail_pending") return failPending(state, fields.error, fields.now);
  return transition(state, to, fieldsOf(fields));
}

/** Returns the fields of a move; files of the protocol need not say that they are files. */
export function fieldsOf(fields) {
  const { attachments, ...others } = camelKeys(fields);
  const files = attachments?.map((file) => ({ ...file, type: "file" }));
  return files === undefined ? others : { ...others, attachments: files };
}

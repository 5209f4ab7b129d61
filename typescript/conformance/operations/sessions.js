/** Sessions and their tool states: build_session and transition. */
import { expire, failPending, InvalidStateTransition, read, toWire, transition, validate } from "../../dist/index.js";
import { WithPartsBuilder } from "../../dist/session/index.js";
import { camelKeys, findingsOf, guarded, placeOf, refusalOf } from "./values.js";

/** Returns the state that a run gives; one that is not valid may be running, with input and time. */
function stateOf(document) {
  if (validate(document, "session.ToolState").length === 0) return read(document, "session.ToolState");
  const { status, input, time } = document;
  const names = typeof time === "object" && time !== null ? Object.keys(time).join() : undefined;
  if (status !== "running" || input === undefined || names !== "start") {
    throw new TypeError("a state that is not valid has to be running, with input and start");
  }
  return { status: "running", input, time };
}

const NEW_STATES = ["awaiting_approval", "denied"]; // in v0.3

/** Returns what is said of a refused move to a peer that knows the states of a version. */
function detailsOf(error, version) {
  const { details } = error.toDocument();
  const isNew = (status) => NEW_STATES.includes(status) && ["v0.1", "v0.2"].includes(version);
  return { ...details, validTransitions: details.validTransitions.filter((status) => !isNew(status)) };
}

export function moveOn(asked, version) {
  const given = { ...asked, state: stateOf(asked.state) };
  const before = JSON.stringify(given.state);
  const result = guarded(
    () => {
      const after = moved(given);
      return after === given.state ? { same: true } : { state: toWire(after, "session.ToolState") };
    },
    (error) => ({
      error: placeOf(error),
      ...(error instanceof InvalidStateTransition ? { details: detailsOf(error, version) } : {}),
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
function fieldsOf(fields) {
  const { attachments, ...others } = camelKeys(fields);
  const files = attachments?.map((file) => ({ ...file, type: "file" }));
  return files === undefined ? others : { ...others, attachments: files };
}

const STEPS = {
  add: (builder, part) => builder.add(part),
  move: (builder, { call_id: id, to, fields }) => builder.move(id, to, fieldsOf(fields)),
  set_state: (builder, { call_id: id, state }) => builder.setState(id, stateOf(state)),
  set_usage: (builder, { cost, tokens }) => builder.setUsage(cost, tokens),
  set_summary: (builder, summary) => builder.setSummary(summary),
  complete: (builder, at) => builder.complete(at),
};

export function build({ info, session_id: sessionId, steps, compacting, partial = false }, version) {
  let at;
  const made = () => {
    const builder = new WithPartsBuilder(info, sessionId, { compacting });
    for (const [index, step] of steps.entries()) {
      at = index;
      const [[name, given]] = Object.entries(step);
      STEPS[name](builder, given);
    }
    at = undefined;
    const built = partial ? builder.buildPartial() : builder.build();
    const message = toWire(built, "session.WithParts", { version });
    return { message, findings: findingsOf(partial ? [] : builder.check()) };
  };
  return guarded(made, (refused) => {
    const { error } = refusalOf(refused);
    return { error: at === undefined ? error : { ...error, step: at } };
  });
}

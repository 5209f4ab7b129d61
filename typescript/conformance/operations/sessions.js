/** Sessions: build_session. */
import { toWire } from "../../dist/index.js";
import { WithPartsBuilder } from "../../dist/session/index.js";
import { fieldsOf, stateOf } from "./states.js";
import { findingsOf, guarded, refusalOf } from "./values.js";

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

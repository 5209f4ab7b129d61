/** Histories: check and repair. */
import { checkHistory, repairHistory } from "../../dist/index.js";
import { bytesOf, findingsOf, guarded, refusalOf, textOf } from "./values.js";

export const check = ({ messages, ongoing = false }, version) => ({
  findings: findingsOf(checkHistory(messages.map(bytesOf), { ongoing, version })),
});

export const repair = ({ messages, ongoing = false, policy = {} }, version) =>
  guarded(() => {
    const repaired = repairHistory(messages.map(bytesOf), { ongoing, policy, version });
    const changes = repaired.changes.map(({ rule, pointer, action, result }) => ({
      rule,
      pointer,
      action,
      ...(result === undefined ? {} : { result }),
    }));
    return { messages: repaired.messages.map(textOf), changes };
  }, refusalOf);

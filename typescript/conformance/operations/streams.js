/** Streams: assemble. */
import { MessageAssembler, readDelta, StreamFailed, StreamProtocolError, toWire } from "../../dist/index.js";
import { bytesOf, camelKeys, findingsOf, guarded, snake } from "./values.js";

const message = (value, version) => toWire(value, "message.Message", { version });

function lineError(error, line) {
  const found = { rule: error.rule, line };
  if (error instanceof StreamProtocolError && error.seq !== undefined) found.seq = error.seq;
  if (error.limit !== undefined) found.limit = snake(error.limit);
  return found;
}

export function assemble(given, version) {
  const { run_id: runId, limits = {}, mode = "strict" } = given;
  const assembler = new MessageAssembler({ ...(runId === undefined ? {} : { runId }), limits: camelKeys(limits) });
  const seen = { snapshots: [], progress: [], refused: [] };
  let result;
  for (const [index, line] of given.deltas.entries()) {
    const error = guarded(
      () => void assembler.consume(readDelta(bytesOf(line), mode)),
      (refused) => lineError(refused, index + 1),
    );
    if (error !== undefined && given.drop_refused !== true) {
      result = { error };
      break;
    }
    if (error !== undefined) seen.refused.push(error);
    look(assembler, given, seen);
  }
  result ??= ending(assembler, version);
  result.findings = findingsOf(assembler.findings);
  if (given.snapshots === true)
    result.snapshots = seen.snapshots.map(([text, snapshot]) => unchanged(text, snapshot, version));
  if (given.progress === true) result.progress = seen.progress;
  if (given.drop_refused === true) result.refused = seen.refused;
  return result;
}

function look(assembler, given, seen) {
  if (assembler.status === "idle") return;
  if (given.snapshots === true) seen.snapshots.push([JSON.stringify(assembler.snapshot()), assembler.snapshot()]);
  if (given.progress === true) {
    const { snapshot: _, ...shown } = assembler.progress();
    seen.progress.push(JSON.parse(JSON.stringify(shown)));
  }
}

/** Returns a snapshot, read again: it never changes. */
function unchanged(text, snapshot, version) {
  if (JSON.stringify(snapshot) !== text) throw new Error("a snapshot has changed after it was taken");
  return message(snapshot.toMessage(), version);
}

function ending(assembler, version) {
  return guarded(
    () => {
      assembler.close();
      return { message: message(assembler.buildFinalMessage(), version) };
    },
    (error) => {
      const outcome = { error: { rule: error.rule } };
      if (error instanceof StreamFailed) {
        return { ...outcome, failure: error.error, partial: message(error.partial, version) };
      }
      if (assembler.status !== "idle") outcome.partial = message(assembler.buildPartial(), version);
      return outcome;
    },
  );
}

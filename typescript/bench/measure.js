/** Time of the processor, of all threads: what else the machine does is not in it. */

/** Returns microseconds that `work` takes. */
export async function spent(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Returns microseconds of one run, of as many as take about `sampleUs`. */
async function sample(run, sampleUs) {
  const runs = Math.max(1, Math.floor(sampleUs / Math.max(1, await spent(run))));
  const all = await spent(async () => {
    for (let count = 0; count < runs; count++) await run();
  });
  return all / runs;
}

/** Runs `run` until its compiler has done its work. */
export async function warm(run, budgetUs) {
  for (let us = 0; us < budgetUs; ) us += Math.max(1, await spent(run));
}

export function median(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 1];
}

/**
 * Returns, for each of several contestants, the microseconds of one run, of every round. They run in
 * turn: what disturbs one disturbs the others, so that the ratios of one round hold.
 */
export async function rounds(runs, { rounds: count, sampleUs, warmUs }) {
  for (const run of runs) await warm(run, warmUs);
  const times = runs.map(() => []);
  for (let round = 0; round < count; round++) {
    for (const [index, run] of runs.entries()) times[index].push(await sample(run, sampleUs));
  }
  return times;
}

/** Returns the median over the rounds of `times` by `others`. */
export function ratio(times, others) {
  return median(times.map((time, round) => time / others[round]));
}

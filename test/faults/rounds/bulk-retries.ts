import { pagesOf } from '../../helpers/pages.ts';
import { createFlow, endOf, type RunAnswer, startRun } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import type { Fault } from '../checks.ts';
import { WHOLE } from '../../helpers/system.ts';
import { sendUntilAcknowledged } from './clients.ts';
import { killWhole } from './kills.ts';
import { Target } from './runs/target.ts';
import type { Scenario } from './scenario.ts';

/** Runs that are retried by one request, and how many of them are started at once. */
const RUNS = 100;
const STARTERS = 25;

type ListedRun = RunAnswer & { retryOf: number | null };
interface Job {
  done: number;
  failed: number;
  finishedAt: string | null;
}

/** A retry of many runs by one request, in which the process is killed twice. */
export const bulkRetries: Scenario = {
  promise: 'a retry of many runs retries each of them once',
  kinds: [WHOLE],
  async prepare({ system, owner, workspaceId }) {
    const target = await Target.start();
    return {
      async play(name, random) {
        target.calls = [];
        const endpoint = `${target.url}/flaky/${name}`; // refuses the first request of each run
        const file = { do: [{ hit: { call: 'http', with: { method: 'post', endpoint } } }] };
        const flowId = await createFlow(owner, workspaceId, JSON.stringify(file));
        const ids: number[] = [];
        while (ids.length < RUNS) {
          const starts = Array.from({ length: STARTERS }, () => startRun(owner, flowId));
          ids.push(...(await Promise.all(starts)).map(({ body }) => body.id));
        }
        for (const id of ids) await endOf(owner, id);
        const retry = await owner.call<{ jobId: number }>('POST', `/flows/${flowId}/runs/retry`);
        const moments = [0.1 + random() * 0.3, 0.5 + random() * 0.3].map((share) =>
          Math.floor((1 + share) * RUNS),
        );
        for (const calls of moments) {
          await waitFor(`call ${calls}`, () => target.calls.length > calls);
          await killWhole(system, random);
        }
        const job = await waitFor('the end of the job', async () => {
          const path = `/flows/bulk-jobs/${retry.body.jobId}`;
          const { body } = await sendUntilAcknowledged<Job>(owner, [200], ['GET', path]);
          return body.finishedAt ? body : null;
        });
        const listed = await pagesOf<ListedRun>(owner, `/flows/${flowId}/runs?limit=100`);
        const retries = listed.flat().filter(({ retryOf }) => retryOf !== null);
        const faults: Fault[] = [];
        for (const { id } of retries) {
          const { status } = await endOf(owner, id);
          if (status !== 'SUCCESS') faults.push(`the retry ${id} ended ${status}`);
        }
        const of = retries.map(({ retryOf }) => retryOf);
        if (
          of.length !== RUNS ||
          new Set(of).size !== RUNS ||
          !ids.every((id) => of.includes(id))
        ) {
          faults.push(`the ${RUNS} runs were retried by ${of.length}: ${of}`);
        }
        if (job.done !== RUNS || job.failed > 0) faults.push(`the job says ${JSON.stringify(job)}`);
        return { happened: `killed after calls ${moments}`, load: `${RUNS} retries`, faults };
      },
      stop: async () => target.stop(),
    };
  },
};

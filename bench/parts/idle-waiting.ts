import { createWorkspace, register } from '../../test/helpers/people.ts';
import { createFlow, startRun } from '../../test/helpers/runs.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import { FIGURES } from '../figures.ts';
import { measureIdleDifference, type System } from '../idle-difference.ts';
import { StoredRuns } from '../stored-runs.ts';

const RUNS = 100_000;
const REST_OF_A_DAY = 'do:\n  - rest: { wait: { days: 1 } }\n';

/** Measures the idle cost of many waiting runs. */
export const measureIdleWaiting = (): Promise<void> =>
  measureIdleDifference(
    { figure: FIGURES.idleWaiting, content: `${RUNS} waiting runs` },
    addWaitingRuns,
  );

/** Copies a waiting run that the service has written, so that the copies have the fields of this version. */
async function addWaitingRuns({ service, database }: System): Promise<void> {
  const owner = await register(service.url);
  const flowId = await createFlow(owner, await createWorkspace(owner), REST_OF_A_DAY);
  await startRun(owner, flowId);
  const runs = await StoredRuns.open(database.uri);
  const waiting = await waitFor('a waiting run in the statistics', () =>
    runs.collection.findOne({
      status: 'WAITING',
      worker: { $exists: false },
      uncounted: { $exists: false },
    }),
  );
  await runs.addCopies(waiting, RUNS);
  await runs.close();
}

import { HEAVY_LOOP, ONE_SET } from '../../helpers/heavy-flows.ts';
import { createWorkspace, registerVerified } from '../../helpers/people.ts';
import { createFlow } from '../../helpers/runs.ts';
import {
  type HeavyRunsPrepared,
  type OwnedFlow,
  runMs,
  startHeavyRuns,
} from '../flooding/heavy-runs.ts';
import type { FloodScenario } from './scenario.ts';

/** More than there are slots. */
const OWNERS = 20;
const RUNS_PER_OWNER = 10;
const SAMPLES = 10;

export const scenario: FloodScenario<HeavyRunsPrepared> = {
  name: 'ten heavy runs of each of twenty owners: the run of another',
  bound: 30,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flowId = await createFlow(person, await createWorkspace(person), ONE_SET);
    const heavy: OwnedFlow[] = [];
    for (let n = 0; n < OWNERS; n++) {
      const owner = await registerVerified(url, 'Mallory');
      heavy.push({
        owner,
        flowId: await createFlow(owner, await createWorkspace(owner), HEAVY_LOOP),
      });
    }
    return { measured: { owner: person, flowId }, heavy };
  },
  idle: (_, prepared) => runMs(prepared, SAMPLES),
  async flooded(_, prepared) {
    await startHeavyRuns(prepared, RUNS_PER_OWNER);
    return runMs(prepared, SAMPLES);
  },
};

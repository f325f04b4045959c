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

const WORKSPACES = 20;
const RUNS_PER_WORKSPACE = 2;
const SAMPLES = 20;

export const scenario: FloodScenario<HeavyRunsPrepared> = {
  name: 'twenty workspaces of one person, heavy runs in each: the run of another',
  bound: 30,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flowId = await createFlow(person, await createWorkspace(person), ONE_SET);
    const owner = await registerVerified(url, 'Mallory');
    const heavy: OwnedFlow[] = [];
    for (let n = 0; n < WORKSPACES; n++) {
      const workspaceId = await createWorkspace(owner, `Workspace ${n}`);
      heavy.push({ owner, flowId: await createFlow(owner, workspaceId, HEAVY_LOOP) });
    }
    return { measured: { owner: person, flowId }, heavy };
  },
  idle: (_, prepared) => runMs(prepared, SAMPLES),
  async flooded(_, prepared) {
    await startHeavyRuns(prepared, RUNS_PER_WORKSPACE);
    return runMs(prepared, SAMPLES);
  },
};

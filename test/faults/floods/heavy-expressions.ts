import { createWorkspace, registerVerified } from '../../helpers/people.ts';
import { createFlow } from '../../helpers/runs.ts';
import { type HeavyRunsPrepared, runMs, startHeavyRuns } from '../flooding/heavy-runs.ts';
import type { FloodScenario } from './scenario.ts';

/** More than a process follows at once. */
const HEAVY_RUNS = 30;
/** Each round is an expression that takes all of its time, and is an error that the flow catches. */
const HEAVY = JSON.stringify({
  do: [
    {
      rounds: {
        for: { in: `\${ [1..1000] }` },
        do: [
          {
            tried: {
              try: [{ heavy: { set: { x: `\${ $sum([1..300000].($ * 2)) }` } } }],
              catch: {},
            },
          },
        ],
      },
    },
  ],
});
const LIGHT = JSON.stringify({
  do: ['a', 'b', 'c'].map((name) => ({ [name]: { set: { n: `\${ $input.n + 1 }` } } })),
});

const SAMPLES = 20;

export const scenario: FloodScenario<HeavyRunsPrepared> = {
  name: 'heavy expressions in one workspace: the run of another',
  bound: 30,
  async prepare({ url }) {
    const [person, owner] = await Promise.all([
      registerVerified(url),
      registerVerified(url, 'Mallory'),
    ]);
    const flowId = await createFlow(person, await createWorkspace(person), LIGHT);
    const heavyId = await createFlow(owner, await createWorkspace(owner), HEAVY);
    return { measured: { owner: person, flowId }, heavy: [{ owner, flowId: heavyId }] };
  },
  idle: (_, prepared) => runMs(prepared, SAMPLES),
  async flooded(_, prepared) {
    await startHeavyRuns(prepared, HEAVY_RUNS);
    return runMs(prepared, SAMPLES);
  },
};

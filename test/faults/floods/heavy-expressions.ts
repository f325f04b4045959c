import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { createFlow, startRun } from '../../helpers/runs.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
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

interface Prepared {
  person: Person;
  flowId: number;
  flooder: Person;
  heavyId: number;
}

const run = ({ person, flowId }: Prepared) =>
  medianMs(() => answersWith(200, startRun(person, flowId, { input: { n: 1 }, wait: 30_000 })), {
    samples: 20,
  });

export const scenario: FloodScenario<Prepared> = {
  name: 'heavy expressions in one workspace: the run of another',
  bound: 30,
  async prepare({ url }) {
    const [person, flooder] = await Promise.all([
      registerVerified(url),
      registerVerified(url, 'Mallory'),
    ]);
    return {
      person,
      flowId: await createFlow(person, await createWorkspace(person), LIGHT),
      flooder,
      heavyId: await createFlow(flooder, await createWorkspace(flooder), HEAVY),
    };
  },
  idle: (_, prepared) => run(prepared),
  async flooded(_, prepared) {
    for (let n = 0; n < HEAVY_RUNS; n++) {
      await answersWith(202, startRun(prepared.flooder, prepared.heavyId));
    }
    return run(prepared);
  },
};

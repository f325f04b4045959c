import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { createFlow, startRun } from '../../helpers/runs.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

/** More than there are slots. */
const OWNERS = 20;
const RUNS_PER_OWNER = 10;
/** Computes until it has made as many rounds as a run may. */
const LOOP = `do:\n  - again: { set: { x: '\${ $sum([1..20000].($ * 2)) }' } }\n  - back: { set: { b: 1 }, then: again }\n`;
const ONE_SET = `do:\n  - a: { set: { n: '\${ $input.n }' } }\n`;

interface Prepared {
  person: Person;
  flowId: number;
  heavy: { flooder: Person; flowId: number }[];
}

/** A run of one `set`, from its start to its end. */
const run = ({ person, flowId }: Prepared) =>
  medianMs(() => answersWith(200, startRun(person, flowId, { input: { n: 1 }, wait: 30_000 })), {
    samples: 10,
  });

export const scenario: FloodScenario<Prepared> = {
  name: 'ten heavy runs of each of twenty owners: the run of another',
  bound: 30,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flowId = await createFlow(person, await createWorkspace(person), ONE_SET);
    const heavy: Prepared['heavy'] = [];
    for (let n = 0; n < OWNERS; n++) {
      const flooder = await registerVerified(url, 'Mallory');
      const workspaceId = await createWorkspace(flooder);
      heavy.push({ flooder, flowId: await createFlow(flooder, workspaceId, LOOP) });
    }
    return { person, flowId, heavy };
  },
  idle: (_, prepared) => run(prepared),
  async flooded(_, prepared) {
    for (let n = 0; n < RUNS_PER_OWNER; n++) {
      for (const { flooder, flowId } of prepared.heavy) await startRun(flooder, flowId);
    }
    return run(prepared);
  },
};

import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { createFlow, startRun } from '../../helpers/runs.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

const WORKSPACES = 20;
const RUNS_PER_WORKSPACE = 2;
/** Computes until it has made as many rounds as a run may. */
const LOOP = `do:\n  - again: { set: { x: '\${ $sum([1..20000].($ * 2)) }' } }\n  - back: { set: { b: 1 }, then: again }\n`;
const ONE_SET = `do:\n  - a: { set: { n: '\${ $input.n }' } }\n`;

interface Prepared {
  person: Person;
  flowId: number;
  flooder: Person;
  heavyFlows: number[];
}

/** A run of one `set`, from its start to its end. */
const run = ({ person, flowId }: Prepared) =>
  medianMs(() => answersWith(200, startRun(person, flowId, { input: { n: 1 }, wait: 30_000 })), {
    samples: 20,
  });

export const scenario: FloodScenario<Prepared> = {
  name: 'twenty workspaces of one person, heavy runs in each: the run of another',
  bound: 30,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flowId = await createFlow(person, await createWorkspace(person), ONE_SET);
    const flooder = await registerVerified(url, 'Mallory');
    const heavyFlows: number[] = [];
    for (let n = 0; n < WORKSPACES; n++) {
      const workspaceId = await createWorkspace(flooder, `Workspace ${n}`);
      heavyFlows.push(await createFlow(flooder, workspaceId, LOOP));
    }
    return { person, flowId, flooder, heavyFlows };
  },
  idle: (_, prepared) => run(prepared),
  async flooded(_, prepared) {
    for (let n = 0; n < RUNS_PER_WORKSPACE; n++) {
      for (const id of prepared.heavyFlows) await startRun(prepared.flooder, id);
    }
    return run(prepared);
  },
};

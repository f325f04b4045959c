import { HEAVY_LOOP, ONE_SET } from '../../helpers/heavy-flows.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { createFlow, startRun } from '../../helpers/runs.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

/** A flow and the person that starts its runs. */
interface OwnedFlow {
  owner: Person;
  flowId: number;
}

interface Prepared {
  measured: OwnedFlow;
  heavy: OwnedFlow[];
}

/** Returns the median of the milliseconds of a run from its start to its end. */
const runMs = ({ measured: { owner, flowId } }: Prepared, samples: number): Promise<number> =>
  medianMs(() => answersWith(200, startRun(owner, flowId, { input: { n: 1 }, wait: 30_000 })), {
    samples,
  });

/** Starts so many runs of each heavy flow, one of each flow after another. */
async function startHeavyRuns({ heavy }: Prepared, runs: number): Promise<void> {
  for (let n = 0; n < runs; n++) {
    for (const { owner, flowId } of heavy) await answersWith(202, startRun(owner, flowId));
  }
}

/** Each round is an expression that takes all of its time, and is an error that the flow catches. */
const HEAVY_EXPRESSIONS = JSON.stringify({
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
/** A few steps without a call. */
const LIGHT = JSON.stringify({
  do: ['a', 'b', 'c'].map((name) => ({ [name]: { set: { n: `\${ $input.n + 1 }` } } })),
});

interface HeavyRuns {
  name: string;
  /** Owners of heavy runs, more than there are slots where there are many. */
  owners: number;
  workspacesOfOwner: number;
  runsOfWorkspace: number;
  /** The flow of the heavy runs, and the measured one. */
  heavy: string;
  light: string;
  samples: number;
}

/** A scenario of the runs of a person beside heavy runs of others. */
const beside = (scenario: HeavyRuns): FloodScenario<Prepared> => ({
  name: `${scenario.name}: the run of another`,
  bound: 30,
  async prepare({ url }) {
    const flowIn = async (owner: Person, name: string, content: string): Promise<OwnedFlow> => ({
      owner,
      flowId: await createFlow(owner, await createWorkspace(owner, name), content),
    });
    const measured = await flowIn(await registerVerified(url), 'Measured', scenario.light);
    const heavy: OwnedFlow[] = [];
    for (let n = 0; n < scenario.owners; n++) {
      const owner = await registerVerified(url, 'Mallory');
      for (let at = 0; at < scenario.workspacesOfOwner; at++) {
        heavy.push(await flowIn(owner, `Workspace ${at}`, scenario.heavy));
      }
    }
    return { measured, heavy };
  },
  idle: (_, prepared) => runMs(prepared, scenario.samples),
  async flooded(_, prepared) {
    await startHeavyRuns(prepared, scenario.runsOfWorkspace);
    return runMs(prepared, scenario.samples);
  },
});

export const scenarios = [
  beside({
    name: 'heavy expressions in one workspace',
    ...{ owners: 1, workspacesOfOwner: 1, runsOfWorkspace: 30 }, // more than a process follows at once
    ...{ heavy: HEAVY_EXPRESSIONS, light: LIGHT, samples: 20 },
  }),
  beside({
    name: 'ten heavy runs of each of twenty owners',
    ...{ owners: 20, workspacesOfOwner: 1, runsOfWorkspace: 10 },
    ...{ heavy: HEAVY_LOOP, light: ONE_SET, samples: 10 },
  }),
  beside({
    name: 'twenty workspaces of one person, heavy runs in each',
    ...{ owners: 1, workspacesOfOwner: 20, runsOfWorkspace: 2 },
    ...{ heavy: HEAVY_LOOP, light: ONE_SET, samples: 20 },
  }),
];

import { HEAVY_FILE } from '../../helpers/heavy-flows.ts';
import { createWorkspace, type Person, register, registerVerified } from '../../helpers/people.ts';
import { duringFlood } from '../flooding/flood.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

const FILE = 'do:\n  - a: { set: { n: 1 } }\n';

interface Prepared {
  person: Person;
  workspaceId: number;
  flooders: Person[];
}

let stored = 0;
/** Returns the median of the milliseconds in which a person stores a new flow. */
const storingFlowMs = ({ person, workspaceId }: Prepared, samples: number): Promise<number> =>
  medianMs(
    () => {
      const body = { workspaceId, name: `flow-${stored++}`, content: FILE };
      return answersWith(200, person.call('POST', '/flows', { body }));
    },
    { samples },
  );

/** Sends one heavy file of the person to be checked. */
const validateOnce = (flooder: Person) =>
  flooder.call('POST', '/flows/validate', { body: { content: HEAVY_FILE } });

/** Measures while the flooders have heavy files checked, each as many at once. */
const duringHeavyFiles = (
  url: string,
  { flooders }: Prepared,
  { atOnce, seconds }: { atOnce: number; seconds: number },
  measure: () => Promise<number>,
): Promise<number> =>
  duringFlood(
    url,
    {
      kind: 'requests',
      clients: flooders.length * atOnce,
      requests: flooders.map(({ token }) => ({
        method: 'POST',
        path: '/flows/validate',
        headers: { authorization: `Bearer ${token}` },
        body: { content: HEAVY_FILE },
      })),
      seconds,
      localAddress: '127.0.0.2',
    },
    measure,
  );

interface HeavyFiles {
  name: string;
  bound: number;
  flooders: number;
  registerFlooder: (url: string, name: string) => Promise<Person>;
  /** Heavy files of each flooder at once. */
  atOnce: number;
  seconds: number;
  samples: number;
}

/** A scenario of a person who stores flows while others have heavy files checked. */
const beside = (scenario: HeavyFiles): FloodScenario<Prepared> => ({
  name: `${scenario.name}: storing a flow`,
  bound: scenario.bound,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flooders: Person[] = [];
    for (let n = 0; n < scenario.flooders; n++) {
      flooders.push(await scenario.registerFlooder(url, 'Mallory'));
    }
    // An owner who never had a file checked is as new as the person measured.
    await Promise.all(flooders.map(validateOnce));
    return { person, workspaceId: await createWorkspace(person), flooders };
  },
  idle: (_, prepared) => storingFlowMs(prepared, scenario.samples),
  flooded: ({ url }, prepared) =>
    duringHeavyFiles(url, prepared, scenario, () => storingFlowMs(prepared, scenario.samples)),
});

export const scenarios = [
  beside({
    name: 'a heavy file of each of twenty-four owners',
    ...{ bound: 30, flooders: 24, registerFlooder: registerVerified },
    ...{ atOnce: 1, seconds: 30, samples: 10 },
  }),
  beside({
    name: 'heavy files of twelve unverified accounts',
    ...{ bound: 10, flooders: 12, registerFlooder: register },
    ...{ atOnce: 2, seconds: 60, samples: 20 },
  }),
];

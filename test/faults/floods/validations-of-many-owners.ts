import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { duringFlood } from '../flooding/flood.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

const OWNERS = 24;
/** Takes as much as a file may take before it is refused as too complex. */
const HEAVY_FILE = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(9_000)}] } } }]`;
const FILE = 'do:\n  - a: { set: { n: 1 } }\n';

interface Prepared {
  person: Person;
  workspaceId: number;
  flooders: Person[];
}

let stored = 0;
/** Storing a new flow. */
const store = ({ person, workspaceId }: Prepared) =>
  medianMs(
    () => {
      const body = { workspaceId, name: `flow-${stored++}`, content: FILE };
      return answersWith(200, person.call('POST', '/flows', { body }));
    },
    { samples: 10 },
  );

/** Who has never had a file checked is as new as the person measured. */
const validateOnce = (flooder: Person) =>
  flooder.call('POST', '/flows/validate', { body: { content: HEAVY_FILE } });

export const scenario: FloodScenario<Prepared> = {
  name: 'a heavy file of each of twenty-four owners: storing a flow',
  bound: 30,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flooders: Person[] = [];
    for (let n = 0; n < OWNERS; n++) flooders.push(await registerVerified(url, 'Mallory'));
    await Promise.all(flooders.map(validateOnce));
    return { person, workspaceId: await createWorkspace(person), flooders };
  },
  idle: (_, prepared) => store(prepared),
  flooded: ({ url }, prepared) =>
    duringFlood(
      url,
      {
        kind: 'requests',
        clients: OWNERS,
        requests: prepared.flooders.map(({ token }) => ({
          method: 'POST',
          path: '/flows/validate',
          headers: { authorization: `Bearer ${token}` },
          body: { content: HEAVY_FILE },
        })),
        seconds: 30,
        localAddress: '127.0.0.2',
      },
      () => store(prepared),
    ),
};

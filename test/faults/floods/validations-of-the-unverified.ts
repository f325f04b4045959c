import { createWorkspace, type Person, register, registerVerified } from '../../helpers/people.ts';
import { duringFlood } from '../flooding/flood.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

const ACCOUNTS = 12;
const CHECKS_PER_ACCOUNT = 2;
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
    { samples: 20 },
  );

export const scenario: FloodScenario<Prepared> = {
  name: 'heavy files of twelve unverified accounts: storing a flow',
  bound: 10,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flooders: Person[] = [];
    for (let n = 0; n < ACCOUNTS; n++) flooders.push(await register(url, 'Mallory'));
    return { person, workspaceId: await createWorkspace(person), flooders };
  },
  idle: (_, prepared) => store(prepared),
  flooded: ({ url }, prepared) =>
    duringFlood(
      url,
      {
        kind: 'requests',
        clients: ACCOUNTS * CHECKS_PER_ACCOUNT,
        requests: prepared.flooders.map(({ token }) => ({
          method: 'POST',
          path: '/flows/validate',
          headers: { authorization: `Bearer ${token}` },
          body: { content: HEAVY_FILE },
        })),
        seconds: 60,
        localAddress: '127.0.0.2',
      },
      () => store(prepared),
    ),
};

import { createWorkspace, type Person, register } from '../../helpers/people.ts';
import { duringFlood } from '../flooding/flood.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

const read = (person: Person) =>
  medianMs(() => answersWith(200, person.call('GET', '/workspaces')));

/** Tokens that nobody signed, each another one, so that none is known already. */
const forgedTokens = Array.from({ length: 1_000 }, (_, n) => ({
  method: 'GET',
  path: '/workspaces',
  headers: {
    authorization: `Bearer ${Buffer.from(`{"alg":"ES256"}`).toString('base64url')}.${n}.x`,
  },
}));

const scenario: FloodScenario<Person> = {
  name: 'bad tokens: reads',
  bound: 6,
  async prepare({ url }) {
    const person = await register(url);
    await createWorkspace(person);
    return person;
  },
  idle: (_, person) => read(person),
  flooded: ({ url }, person) =>
    duringFlood(
      url,
      {
        kind: 'requests',
        clients: 10,
        requests: forgedTokens,
        seconds: 30,
        localAddress: '127.0.0.2',
      },
      () => read(person),
    ),
};

export const scenarios = [scenario];

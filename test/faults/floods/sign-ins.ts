import { request } from '../../helpers/http.ts';
import { createWorkspace, PASSWORD, type Person, register } from '../../helpers/people.ts';
import type { TestServer } from '../../helpers/server.ts';
import { duringFlood, type Flood } from '../flooding/flood.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

const requests = Array.from({ length: 900 }, (_, n) => ({
  method: 'POST',
  path: '/auth/sign-in',
  body: { email: `somebody.${n % 90}@example.com`, password: `a wrong password ${n}` },
}));

/** 900 wrong passwords for 90 accounts from another address, and what `measure` finds meanwhile. */
const duringWrongPasswords = (
  { url }: TestServer,
  measure: (flood: Flood) => Promise<number>,
): Promise<number> =>
  duringFlood(
    url,
    {
      kind: 'requests',
      clients: 30,
      count: requests.length,
      requests,
      seconds: 60,
      localAddress: '127.0.0.2',
    },
    measure,
  );

/** Few and fast: the flood is over soon. */
const DURING_FLOOD = { samples: 15, pauseMs: 5 };

/** So far apart that none waits for the pace of their address. */
const APART = { samples: 15, pauseMs: 50 };

/** So many that none of them signs in too often. */
const PEOPLE = 10;

/** How long it takes somebody to sign in, each time somebody else. */
function signIn(url: string, people: readonly Person[]): Promise<number> {
  let n = 0;
  return medianMs(() => {
    const email = people[n++ % people.length]?.email;
    const body = { email, password: PASSWORD };
    return answersWith(200, request(url, 'POST', '/auth/sign-in', { body }));
  }, APART);
}

const read = (person: Person) =>
  medianMs(() => answersWith(200, person.call('GET', '/workspaces')), DURING_FLOOD);

const reads: FloodScenario<Person> = {
  name: 'wrong passwords: reads',
  bound: 2,
  async prepare({ url }) {
    const person = await register(url);
    await createWorkspace(person);
    return person;
  },
  idle: (_, person) => read(person),
  flooded: (server, person) => duringWrongPasswords(server, () => read(person)),
};

const signIns: FloodScenario<readonly Person[]> = {
  name: 'wrong passwords: sign-ins of others',
  bound: 3,
  prepare: ({ url }) => Promise.all(Array.from({ length: PEOPLE }, () => register(url))),
  idle: ({ url }, people) => signIn(url, people),
  flooded: (server, people) => duringWrongPasswords(server, () => signIn(server.url, people)),
};

export const scenarios = [reads, signIns];

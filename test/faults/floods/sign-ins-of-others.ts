import { request } from '../../helpers/http.ts';
import { PASSWORD, type Person, register } from '../../helpers/people.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';
import { DURING_FLOOD, duringWrongPasswords } from './wrong-passwords.ts';

/** So many that none of them signs in too often. */
const PEOPLE = 10;

/** How long it takes somebody to sign in, each time somebody else. */
function signIn(url: string, people: readonly Person[]): Promise<number> {
  let n = 0;
  return medianMs(() => {
    const email = people[n++ % people.length]?.email;
    const body = { email, password: PASSWORD };
    return answersWith(200, request(url, 'POST', '/auth/sign-in', { body }));
  }, DURING_FLOOD);
}

export const scenario: FloodScenario<readonly Person[]> = {
  name: 'wrong passwords: sign-ins of others',
  bound: 3,
  prepare: ({ url }) => Promise.all(Array.from({ length: PEOPLE }, () => register(url))),
  idle: ({ url }, people) => signIn(url, people),
  flooded: (server, people) => duringWrongPasswords(server, () => signIn(server.url, people)),
};

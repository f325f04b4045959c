import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { e2e, type Result } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import { PASSWORD } from '../helpers/people.ts';
import { CORE } from '../helpers/spread.ts';

type Jwk = Record<string, unknown> & { kid: string };
const newKey = (kid: string): Jwk => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid,
});
const [old, fresh] = [newKey('old'), newKey('fresh')];

/** Attempts at the password of an account until strangers are locked out. */
const ATTEMPTS = 3;
const HOME = '198.51.100.7';
const EMAIL = 'ada@example.com';

const { server: system } = e2e({
  processes: ['api', CORE, CORE],
  env: {
    ...keysOf(old),
    SIGN_IN_LIMIT: `${ATTEMPTS}/3600`,
    TRUSTED_PROXIES: '127.0.0.1',
  },
});

function keysOf(...keys: readonly Jwk[]) {
  return { JWT_PRIVATE_KEYS: JSON.stringify({ keys }) };
}

/** Replaces the processes of identity one by one by processes with these keys. */
async function rollOut(...keys: Jwk[]): Promise<void> {
  for (const _ of system.processesOf(CORE)) {
    await system.add(CORE, keysOf(...keys));
    expect(await system.remove(CORE, 'SIGTERM')).toBe(0);
  }
}

type Session = Result<'identity.signIn'>;
const post = (path: string, body: object, from = HOME) =>
  request<Session>(system.url, 'POST', path, { body, headers: { 'x-forwarded-for': from } });
const signIn = (password: string, from = HOME) =>
  post('/auth/sign-in', { email: EMAIL, password }, from);
const statusOf = async (token: string) =>
  (await request(system.url, 'GET', '/auth/me', { token })).status;
const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const shownKids = async () => {
  const { body } = await request<{ keys: Jwk[] }>(system.url, 'GET', '/.well-known/jwks.json');
  return body.keys.map(({ kid }) => kid);
};

/** Refreshes a session again and again, and uses each token at once. Resolves with the refusals and the kids. */
function keepRefreshing(session: Session) {
  const refusals: number[] = [];
  const kids = new Set<string>();
  let [{ refreshToken }, isOver, count] = [session, false, 0];
  const ended = (async () => {
    while (!isOver) {
      const { status, body } = await post('/auth/refresh', { refreshToken });
      if (status === 200) {
        ({ refreshToken } = body);
        kids.add(kidOf(body.accessToken));
        const used = await statusOf(body.accessToken);
        if (used !== 200) refusals.push(used);
      } else refusals.push(status);
      count++;
      await sleep(10);
    }
  })();
  const stop = async () => {
    isOver = true;
    await ended;
    return { refusals, kids: [...kids], count, refreshToken };
  };
  return { stop };
}

test('a new signing key takes over, process by process, and no token is refused meanwhile', async () => {
  const account = { email: EMAIL, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' };
  const { body: first } = await post('/auth/register', account);
  expect(kidOf(first.accessToken)).toBe('old');
  const refreshing = keepRefreshing(first);

  await rollOut(old, fresh);
  expect(await shownKids()).toEqual(['old', 'fresh']);
  await rollOut(fresh, old);
  expect(await shownKids()).toEqual(['fresh', 'old']);
  expect(await statusOf(first.accessToken)).toBe(200); // a token of the old key holds until it expires
  const second = await signIn(PASSWORD); // stores the network under the new key
  expect([second.status, kidOf(second.body.accessToken)]).toEqual([200, 'fresh']);
  await rollOut(fresh);
  expect(await shownKids()).toEqual(['fresh']);

  const { refusals, kids, count, refreshToken } = await refreshing.stop();
  expect(refusals).toEqual([]);
  expect(kids).toEqual(['old', 'fresh']);
  expect(count).toBeGreaterThan(50);
  expect(await statusOf(first.accessToken)).toBe(401); // its key has been removed
  expect((await post('/auth/refresh', { refreshToken })).status).toBe(200);
});

test('a network from which the account was signed in to stays known under the new key', async () => {
  const strangers = ['203.0.113.9', '203.0.113.10'];
  for (let n = 0; n < ATTEMPTS; n++) await signIn('not the password', strangers[0]);
  for (const from of strangers) expect((await signIn(PASSWORD, from)).status).toBe(429);
  expect((await signIn(PASSWORD, HOME)).status).toBe(200);
});

import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import { PASSWORD } from '../helpers/people.ts';
import type { ServiceProcess } from '../helpers/process.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { CORE, type Ground, groundOf, startPart } from '../helpers/spread.ts';

type Jwk = Record<string, unknown> & { kid: string };
const newKey = (kid: string): Jwk => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid,
});
const [old, fresh] = [newKey('old'), newKey('fresh')];

const REPLICAS = 2;
/** Attempts at the password of an account until strangers are locked out. */
const ATTEMPTS = 3;
const HOME = '198.51.100.7';
const EMAIL = 'ada@example.com';

let ground: Ground;
let url: string;
let processes: ServiceProcess[] = [];

beforeAll(async () => {
  ground = await groundOf(dataFolder());
  const env = { TRUSTED_PROXIES: '127.0.0.1' };
  const gateway = startPart(ground, 'api', env);
  await rollOut(old);
  url = (await gateway.ready) ?? '';
});
afterAll(stopServers);

/** Replaces the processes of identity one by one by processes with these keys. */
async function rollOut(...keys: Jwk[]): Promise<void> {
  const env = {
    JWT_PRIVATE_KEYS: JSON.stringify({ keys }),
    SIGN_IN_LIMIT: `${ATTEMPTS}/3600`,
  };
  const before = processes;
  processes = [];
  for (let n = 0; n < REPLICAS; n++) {
    const started = startPart(ground, CORE, env);
    await started.ready;
    processes.push(started);
    const [replaced] = before.splice(0, 1);
    if (!replaced) continue;
    replaced.signal('SIGTERM');
    expect(await replaced.exited).toBe(0);
  }
}

type Session = Result<'identity.signIn'>;
const post = (path: string, body: object, from = HOME) =>
  request<Session>(url, 'POST', path, { body, headers: { 'x-forwarded-for': from } });
const signIn = (password: string, from = HOME) =>
  post('/auth/sign-in', { email: EMAIL, password }, from);
const statusOf = async (token: string) => (await request(url, 'GET', '/auth/me', { token })).status;
const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const shownKids = async () => {
  const { body } = await request<{ keys: Jwk[] }>(url, 'GET', '/.well-known/jwks.json');
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

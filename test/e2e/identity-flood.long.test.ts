import { e2e } from '../fixtures/e2e.ts';
import { PASSWORD } from '../helpers/people.ts';

const HOME = '2001:db8:1::1';
const STRANGER = '2001:db8:2::1';
const EMAIL = 'ada@example.com';

const { accounts } = e2e({ env: { TRUSTED_PROXIES: '127.0.0.1' }, oneProcess: true });

/** The server trusts requests of this machine to name the address of their client. */
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const signIn = (address: string, email: string) => accounts.signIn(email, PASSWORD, from(address));

it('a flood of sign-ins from one network is refused beyond its place in the queue, and others sign in meanwhile', async () => {
  const names = { firstName: 'Ada', lastName: 'Lovelace' };
  await accounts.post('/auth/register', { email: EMAIL, password: PASSWORD, ...names }, from(HOME));
  let unanswered = 200;
  const flood = Array.from({ length: unanswered }, async (_, at) => {
    const { status, body, headers } = await signIn(STRANGER, `stranger.${at}@example.com`);
    unanswered--;
    return { status, code: body.code, retryAfter: Number(headers['retry-after'] ?? 0) > 0 };
  });
  await Promise.race(flood);
  expect((await signIn(HOME, EMAIL)).status).toBe(200);
  expect(unanswered).toBeGreaterThan(0);
  const answers = await Promise.all(flood);
  const refused = { status: 401, code: 'INVALID_CREDENTIALS', retryAfter: false };
  const busy = { status: 503, code: 'UNAVAILABLE', retryAfter: true };
  for (const answer of answers) expect([refused, busy]).toContainEqual(answer);
  expect(answers).toContainEqual(refused);
  expect(answers).toContainEqual(busy);
});

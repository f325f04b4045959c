import { randomUUID } from 'node:crypto';
import { type ProblemBody, request } from '../helpers/http.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { CORE, groundOf, startPart } from '../helpers/spread.ts';

afterAll(stopServers);

const LIMIT = 7;
const ATTEMPTS = 60;

const LIMITED = { SIGN_IN_LIMIT: `${LIMIT}/600` };
const TRUSTING = { TRUSTED_PROXIES: '127.0.0.1' };

test('two identity processes admit exactly as many attempts as the limit, also after a crash of both', async () => {
  const ground = await groundOf(dataFolder());
  const startIdentity = () => [1, 2].map(() => startPart(ground, CORE, LIMITED));
  const gateway = startPart(ground, 'api', TRUSTING);
  const before = startIdentity();
  const url = (await gateway.ready) ?? '';
  await Promise.all(before.map(({ ready }) => ready));

  const signIn = (email: string, address: string) =>
    request<ProblemBody>(url, 'POST', '/auth/sign-in', {
      body: { email, password: 'a wrong password' },
      headers: { 'x-forwarded-for': address },
    });
  const codesOf = async (attempts: Promise<{ body: ProblemBody }>[]) => {
    const codes = (await Promise.all(attempts)).map(({ body }) => body.code);
    return {
      admitted: codes.filter((code) => code === 'INVALID_CREDENTIALS').length,
      limited: codes.filter((code) => code === 'TOO_MANY_ATTEMPTS').length,
    };
  };
  const exactly = (admitted: number) => ({ admitted, limited: ATTEMPTS - admitted });
  const flood = (emailOf: () => string, addressOf: (n: number) => string) =>
    codesOf(Array.from({ length: ATTEMPTS }, (_, n) => signIn(emailOf(), addressOf(n))));

  const email = `${randomUUID()}@example.com`;
  const ofAccount = () =>
    flood(
      () => email,
      (n) => `2001:db8:${n + 1}::1`,
    );
  expect(await ofAccount()).toEqual(exactly(LIMIT));
  const ofNetwork = () =>
    flood(
      () => `${randomUUID()}@example.com`,
      (n) => `2001:db8:ffff::${n + 1}`,
    );
  expect(await ofNetwork()).toEqual(exactly(5 * LIMIT));

  for (const part of before) part.signal('SIGKILL');
  await Promise.all(before.map(({ exited }) => exited));
  const after = startIdentity();
  await Promise.all(after.map(({ ready }) => ready));
  expect(await ofAccount()).toEqual(exactly(0));
});

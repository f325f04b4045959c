import { randomUUID } from 'node:crypto';
import { e2e } from '../fixtures/e2e.ts';
import { type ProblemBody, request } from '../helpers/http.ts';
import { CORE } from '../helpers/spread.ts';

const LIMIT = 7;
const ATTEMPTS = 60;

const { server: system } = e2e({
  processes: ['api', CORE, CORE],
  env: { SIGN_IN_LIMIT: `${LIMIT}/600`, TRUSTED_PROXIES: '127.0.0.1' },
});

test('two identity processes admit exactly as many attempts as the limit, also after a crash of both', async () => {
  const signIn = (email: string, address: string) =>
    request<ProblemBody>(system.url, 'POST', '/auth/sign-in', {
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

  await Promise.all([1, 2].map(() => system.remove(CORE, 'SIGKILL')));
  await Promise.all([1, 2].map(() => system.add(CORE)));
  expect(await ofAccount()).toEqual(exactly(0));
});

import { e2e } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import { register } from '../helpers/people.ts';
import { CORE } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

const LIMIT = 200;
const AT_ONCE = 20;
/** Requests that a gateway may still admit before it has heard of those at another. */
const MOST_UNHEARD = 100;

const { server: system } = e2e({
  processes: ['api', 'api', 'api', CORE],
  env: { RATE_LIMIT: `${LIMIT}/36000` },
});

test('a caller who is spread over three gateways gets about the limit in sum', async () => {
  const [first = '', ...others] = system.urls;
  const { token } = await register(first);
  const get = async (url: string) => (await request(url, 'GET', '/auth/me', { token })).status;

  const statuses: number[] = [];
  while (statuses.length < LIMIT + AT_ONCE) {
    statuses.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => get(first)))));
  }
  expect(Map.groupBy(statuses, (status) => status)).toEqual(
    new Map([
      [200, Array(LIMIT).fill(200)],
      [429, Array(AT_ONCE).fill(429)],
    ]),
  );
  for (const url of others) {
    let admitted = 0;
    await waitFor('the refusal of another gateway', async () => {
      const status = await get(url);
      admitted += Number(status === 200);
      return status === 429;
    });
    expect(admitted).toBeLessThan(MOST_UNHEARD);
  }

  await system.remove('api', 'SIGKILL'); // a gateway that is away changes nothing
  expect(await Promise.all(others.map(get))).toEqual([429, 429]);
  const stranger = await register(others[0] ?? '', 'Eve');
  expect((await stranger.call('GET', '/auth/me')).status).toBe(200);
});

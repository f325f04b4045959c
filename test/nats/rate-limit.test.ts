import { request } from '../helpers/http.ts';
import { register } from '../helpers/people.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { CORE, groundOf, startPart } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

afterAll(stopServers);

const LIMIT = 200;
/** Requests that a gateway may still admit before it has heard of those at another. */
const MOST_UNHEARD = 100;

test('a caller who is spread over three gateways gets about the limit in sum', async () => {
  const ground = await groundOf(dataFolder());
  const env = { RATE_LIMIT: `${LIMIT}/36000` };
  const gateways = [1, 2, 3].map(() => startPart(ground, 'api', env));
  startPart(ground, CORE);
  const urls = (await Promise.all(gateways.map(({ ready }) => ready))).map((url) => url ?? '');
  const [first = '', ...others] = urls;
  const { token } = await register(first);
  const get = async (url: string) => (await request(url, 'GET', '/auth/me', { token })).status;

  const statuses = await Promise.all(Array.from({ length: LIMIT + 20 }, () => get(first)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
  for (const url of others) {
    let admitted = 0;
    await waitFor('the refusal of another gateway', async () => {
      const status = await get(url);
      admitted += Number(status === 200);
      return status === 429;
    });
    expect(admitted).toBeLessThan(MOST_UNHEARD);
  }

  gateways[0]?.signal('SIGKILL'); // a gateway that is away changes nothing
  await gateways[0]?.exited;
  expect(await Promise.all(others.map(get))).toEqual([429, 429]);
  const stranger = await register(others[0] ?? '', 'Eve');
  expect((await stranger.call('GET', '/auth/me')).status).toBe(200);
});

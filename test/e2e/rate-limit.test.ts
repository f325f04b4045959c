import { e2e } from '../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import { startServer } from '../helpers/server.ts';

/** So few that a test can use them up, and refilled so slowly that none comes back meanwhile. */
const LIMIT = { RATE_LIMIT: '5/36000' };
const POLICY = '"default";q=5;w=36000';

/** The server takes anonymous requests for whichever address a test gives itself. */
const { server } = e2e({ env: { ...LIMIT, TRUSTED_PROXIES: '127.0.0.0/8' } });

let addresses = 0;
const newAddress = (): string => `203.0.113.${++addresses}`;
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

const call = (method: string, path: string, options = {}): Promise<Answer<ProblemBody>> =>
  request<ProblemBody>(server.url, method, path, options);

async function statuses(times: number, send: () => Promise<Answer>): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < times; n++) found.push((await send()).status);
  return found;
}

const somebody = async (): Promise<Person> => {
  const options = from(newAddress());
  const email = `p${newAddress()}@example.com`;
  const body = { email, password: 'correct horse battery', firstName: 'Ada', lastName: 'L' };
  const { body: session } = await call('POST', '/auth/register', { ...options, body });
  const { accessToken: token, user } = session as unknown as {
    accessToken: string;
    user: { id: number };
  };
  const own = { token, email, id: user.id, refreshToken: '' };
  return {
    ...own,
    call: (method, path, more = {}) => request(server.url, method, path, { token, ...more }),
  };
};

describe('a caller', () => {
  it('is told of the limit with each answer, and refused with 429 beyond it', async () => {
    const person = await somebody();
    const first = await person.call('GET', '/auth/me', from(newAddress()));
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({
      'ratelimit-policy': POLICY,
      ratelimit: '"default";r=4;t=7200',
    });
    await statuses(4, () => person.call('GET', '/auth/me', from(newAddress())));
    const refused = await person.call<ProblemBody>('GET', '/auth/me', from(newAddress()));
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      type: 'urn:problem:rate-limited',
      code: 'RATE_LIMITED',
      status: 429,
    });
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': POLICY,
      ratelimit: '"default";r=0;t=7200',
      'retry-after': '7200',
      'content-type': 'application/problem+json',
    });
  });

  it('has a limit of its own, wherever it calls from', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const address = from(newAddress());
    const found = await statuses(6, () => one.call('GET', '/auth/me', address));
    expect(found).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await other.call('GET', '/auth/me', address)).status).toBe(200);
  });

  it('is refused before its body is looked at, and only after its token', async () => {
    const person = await somebody();
    await statuses(5, () => person.call('GET', '/auth/me', from(newAddress())));
    const wrongType = {
      raw: 'x',
      headers: { ...from(newAddress()).headers, 'content-type': 'text/plain' },
    };
    expect((await person.call('POST', '/flows', wrongType)).status).toBe(429);
    expect((await person.call('GET', '/nope', from(newAddress()))).status).toBe(404);
    expect((await person.call('DELETE', '/auth/me', from(newAddress()))).status).toBe(405);
    const stranger = { ...from(newAddress()), token: 'no.such.token' };
    expect((await call('POST', '/flows', stranger)).status).toBe(401);
  });

  it('with a key is limited by the key, apart from the person who made it', async () => {
    const person = await somebody();
    const workspaceId = await createWorkspace(person);
    const scopes = ['issues:create'];
    const made = await person.call<{ key: string }>('POST', '/api-keys', {
      ...from(newAddress()),
      body: { workspaceId, name: 'a key', scopes },
    });
    const send = () =>
      call('POST', `/workspaces/${workspaceId}/issues/external`, {
        headers: { 'x-api-key': made.body.key, ...from(newAddress()).headers },
        body: { title: 'x' },
      });
    expect((await statuses(6, send)).map((status) => status === 429)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect((await person.call('GET', '/auth/me', from(newAddress()))).status).toBe(200);
  });
});

describe('an anonymous client', () => {
  const read = (headers: Record<string, string>) =>
    call('GET', '/.well-known/jwks.json', { headers });

  it('is limited by its address, and others are not', async () => {
    const address = from(newAddress()).headers;
    expect(await statuses(6, () => read(address))).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await read(from(newAddress()).headers)).status).toBe(200);
  });

  it('with IPv6 is limited by its network', async () => {
    let n = 0;
    const next = () => read(from(`2001:db8:1:2::${++n}`).headers);
    expect(await statuses(6, next)).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await read(from('2001:db8:1:3::1').headers)).status).toBe(200);
  });

  it('may ask for health as often as it likes', async () => {
    const address = from(newAddress());
    const found = await statuses(8, () => call('GET', '/health/live', address));
    expect(new Set(found)).toEqual(new Set([200]));
    expect((await call('GET', '/health/ready', address)).headers).not.toHaveProperty('ratelimit');
    await statuses(5, () => read(address.headers));
    expect((await call('GET', '/health/live', address)).status).toBe(200);
  });

  it('loads no more files of the reference than requests are possible', async () => {
    const { text } = await call('GET', '/docs', from(newAddress()));
    const [, file = ''] = /src="(\/docs\/[^"]+)"/.exec(text) ?? [];
    const address = from(newAddress());
    expect(await statuses(6, () => call('HEAD', file, address))).toEqual([
      200, 200, 200, 200, 200, 429,
    ]);
  });
});

describe('who shows what is no token', () => {
  const withToken = (token: string, address: Record<string, string>) =>
    call('GET', '/auth/me', { token, headers: address });

  it('is limited by the address, whatever the tokens', async () => {
    const address = from(newAddress()).headers;
    let n = 0;
    const found = await statuses(7, () => withToken(`made.up.${++n}`, address));
    expect(found).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const others = await withToken('made.up.1', from(newAddress()).headers);
    expect(others.status).toBe(401);
  });

  it('takes nothing from those who sign in or refresh a session at the same address', async () => {
    const address = from(newAddress()).headers;
    expect((await statuses(6, () => withToken('made.up.token', address))).at(-1)).toBe(429);
    const refreshed = { headers: address, body: { refreshToken: 'x'.repeat(43) } };
    expect((await call('POST', '/auth/refresh', refreshed)).status).toBe(401);
    const signedIn = { headers: address, body: { email: 'nobody@example.com', password: 'x' } };
    expect((await call('POST', '/auth/sign-in', signedIn)).status).toBe(401);
  });

  it('has as many guesses left after any number of anonymous requests', async () => {
    const person = await somebody();
    const address = from(newAddress()).headers;
    const read = () => call('GET', '/.well-known/jwks.json', { headers: address });
    expect((await statuses(6, read)).at(-1)).toBe(429);
    expect((await person.call('GET', '/auth/me', { headers: address })).status).toBe(200);
  });

  it('takes nothing from those whose token was good before, at the same address', async () => {
    const person = await somebody();
    const address = from(newAddress()).headers;
    expect((await person.call('GET', '/auth/me', { headers: address })).status).toBe(200);
    await statuses(6, () => withToken('made.up.token', address));
    expect((await person.call('GET', '/auth/me', { headers: address })).status).toBe(200);
  });

  it('without any is told so, as often as it asks', async () => {
    const address = from(newAddress());
    const found = await statuses(7, () => call('GET', '/auth/me', address));
    expect(new Set(found)).toEqual(new Set([401]));
  });
});

it('counts by the peer where no proxy is trusted: another X-Forwarded-For makes no new client', async () => {
  const direct = await startServer({ env: LIMIT });
  const send = () => request(direct.url, 'GET', '/.well-known/jwks.json', from(newAddress()));
  expect(await statuses(6, send)).toEqual([200, 200, 200, 200, 200, 429]);
});

it('is off where the operator says so', async () => {
  const free = await startServer({ env: { RATE_LIMIT: 'off' } });
  const person = await register(free.url);
  const { headers } = await person.call('GET', '/auth/me');
  expect(headers).not.toHaveProperty('ratelimit');
});

import { e2e, type Result } from '../../fixtures/e2e.ts';
import { type ProblemBody, request } from '../../helpers/http.ts';
import { pagesOf } from '../../helpers/pages.ts';
import { register } from '../../helpers/people.ts';
import { startServer, stopServers } from '../../helpers/server.ts';

// Its own server: the mails of other files would come between two pages.
const { server, owner: person } = e2e({ own: true });

afterAll(stopServers);

type Mails = Result<'identity.listOutbox'>;
const outbox = <T = Mails>(query: object = {}, headers: Record<string, string> = {}) =>
  request<T>(server.url, 'GET', '/dev/outbox', { query: { ...query }, headers });

it('shows the mails to an address, newest first, with the token they carry', async () => {
  const { status, body } = await outbox({ to: person.email.toUpperCase() });
  expect(status).toBe(200);
  expect(body).toEqual([
    {
      to: person.email,
      subject: expect.any(String),
      text: expect.any(String),
      token: expect.stringMatching(/^[\w-]{43}$/),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ]);
  expect((await outbox({ to: 'nobody@example.com' })).body).toEqual([]);
});

it('goes page by page over all mails', async () => {
  for (let n = 0; n < 3; n++) await register(server.url);
  const all = (await outbox()).body;
  const paged = await pagesOf<Mails[number]>(person, '/dev/outbox?limit=2');
  expect(paged.map(({ length }) => length)).toEqual([2, 2]);
  expect(paged.flat()).toEqual(all);
  expect([...all].sort((a, b) => b.createdAt.localeCompare(a.createdAt))).toEqual(all);
});

it.each<[string, Record<string, string>]>([
  ['a page that has its name resolved to this machine', { host: 'evil.example' }],
  ['a name that only begins like ours', { host: 'localhost.evil.example' }],
  ['a proxy, by Forwarded', { forwarded: 'for=192.0.2.1' }],
  ['a proxy, by Via', { via: '1.1 proxy' }],
  ['a proxy, by X-Real-IP', { 'x-real-ip': '127.0.0.1' }],
  ['a proxy, by X-Forwarded-For', { 'x-forwarded-for': '127.0.0.1' }],
  ['a proxy, by X-Forwarded-Host', { 'x-forwarded-host': 'localhost' }],
  ['a proxy, by X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
  ['a proxy, by a header that begins so', { 'x-forwarded-client-cert': 'Hash=1' }],
])('is not there for %s', async (_what, headers) => {
  const { status, body } = await outbox<ProblemBody>({}, headers);
  expect((await request(server.url, 'POST', '/dev/outbox?x=1', { headers })).status).toBe(404);
  const nowhere = await request<ProblemBody>(server.url, 'GET', '/nowhere');
  expect(status).toBe(404);
  expect({ ...body, instance: '' }).toEqual({ ...nowhere.body, instance: '' });
});

it('goes by the host that the target names, if it names one', async () => {
  const ask = async (target: string, host: string) =>
    (await request(server.url, 'GET', target, { headers: { host } })).status;
  expect(await ask('http://evil.example/dev/outbox', 'localhost')).toBe(404);
  expect(await ask('http://localhost/dev/outbox', 'localhost')).toBe(200);
});

it.each(['localhost', '127.0.0.1:3000', '[::1]:80', 'LOCALHOST:1'])(
  'is there for this machine by the name %s',
  async (host) => {
    expect((await outbox({}, { host })).status).toBe(200);
  },
);

it('refuses a cursor that is none of ours', async () => {
  const odd = Buffer.from('[1e300,1]').toString('base64url');
  expect((await outbox({ after: odd })).status).toBe(400);
});

it('is not there on a network', async () => {
  const open = await startServer({ env: { HOST: '0.0.0.0', DEVELOPMENT_ON_NETWORK: '1' } });
  const { status } = await request(open.url, 'GET', '/dev/outbox', {
    headers: { host: 'localhost' },
  });
  expect(status).toBe(404);
  await open.stop();
});

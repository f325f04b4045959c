import { clientFor, closeAll, listen, type TestServer } from '../servers.ts';

afterEach(closeAll);

const hello = (): Promise<TestServer> => listen((_req, res) => res.end('hello'));
const get = (url: string) => ({ method: 'GET', url, timeoutMs: 5_000 });
const resolvesTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

test.each([
  ['no URL', 'not a url'],
  ['a relative one', '/path'],
  ['a file', 'file:///etc/passwd'],
  ['another protocol', 'gopher://127.0.0.1:70/x'],
  ['credentials', 'http://user:secret@example.com/'],
  ['a name alone', 'http://user@example.com/'],
])('refuses %s', async (_what, url) => {
  const sent = clientFor([]).send(get(url));
  await expect(sent).rejects.toMatchObject({ kind: 'TARGET_REFUSED' });
  await expect(sent).rejects.not.toThrow('secret');
});

test('refuses a name that resolves to a private address, and does not say which', async () => {
  const server = await hello();
  const client = clientFor([server], { resolve: resolvesTo('127.0.0.1') });
  const sent = client.send(get(`http://evil.example:${server.port}/`));
  await expect(sent).rejects.toMatchObject({ kind: 'TARGET_REFUSED' });
  await expect(sent).rejects.not.toThrow('127.0.0.1');
  expect(server.connections).toBe(0);
});

test('connects to the address that was checked: a resolver is asked once a connection', async () => {
  const server = await hello();
  const answers = [['127.0.0.1'], ['10.0.0.1']];
  let asked = 0;
  const client = clientFor([], {
    allow: [`rebinding.example:${server.port}`],
    resolve: async () => {
      asked++;
      return resolvesTo(...(answers.shift() ?? []))();
    },
  });
  const answer = await client.send(get(`http://rebinding.example:${server.port}/`));
  expect(Buffer.from(answer.body).toString()).toBe('hello');
  expect(asked).toBe(1);
  expect(server.requests[0]?.headers.host).toBe(`rebinding.example:${server.port}`);
});

test('checks each new connection anew', async () => {
  const server = await listen((_req, res) => res.setHeader('connection', 'close').end('hello'));
  const answers = ['127.0.0.1', '169.254.169.254'];
  const client = clientFor([], {
    allow: ['127.0.0.0/8'],
    resolve: async () => resolvesTo(answers.shift() ?? '')(),
  });
  const request = get(`http://rebinding.example:${server.port}/`);
  expect((await client.send(request)).status).toBe(200);
  await expect(client.send(request)).rejects.toMatchObject({ kind: 'TARGET_REFUSED' });
});

test('a name that is nowhere is a failed connection', async () => {
  const client = clientFor([], {
    resolve: async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    },
  });
  await expect(client.send(get('http://nowhere.example/'))).rejects.toMatchObject({
    kind: 'CONNECTION_FAILED',
    message: 'The name nowhere.example cannot be resolved.',
  });
});

test('an allowed target is its port as well', async () => {
  const [server, other] = [await hello(), await hello()];
  const client = clientFor([server]);
  expect((await client.send(get(server.url))).status).toBe(200);
  await expect(client.send(get(other.url))).rejects.toMatchObject({ kind: 'TARGET_REFUSED' });
});

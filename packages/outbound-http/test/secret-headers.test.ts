import type { RequestListener } from 'node:http';
import { clientFor, closeAll, listen } from './servers.ts';

afterEach(closeAll);

const SECRET = 'canary-5be1f3a0';
const redirectTo =
  (location: string, status = 307): RequestListener =>
  (_req, res) =>
    res.writeHead(status, { location }).end();
const get = (url: string) => ({ method: 'GET', url, timeoutMs: 5_000 });

describe('headers with secrets', () => {
  test('go along within the origin of the request, also when the method changes', async () => {
    const server = await listen((req, res) =>
      req.url === '/' ? redirectTo('/next', 303)(req, res) : res.end(),
    );
    await clientFor([server]).send({
      ...get(server.url),
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', accept: 'text/plain' },
      secretHeaders: { 'X-Api-Key': SECRET, 'Content-Language': SECRET },
    });
    expect(server.requests).toHaveLength(2);
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({
        accept: 'text/plain',
        'x-api-key': SECRET,
        'content-language': SECRET,
      });
    }
    expect(server.requests[1]?.headers['content-type']).toBeUndefined();
  });

  test.each([
    'Authorization',
    'X-Api-Key',
    'Accept',
    'Accept-Encoding',
    'Accept-Language',
    'Content-Encoding',
    'Content-Language',
    'Content-Type',
    'User-Agent',
    'Traceparent',
  ])('are sent to no other origin, nor back again: %s', async (name) => {
    const home = await listen((req, res) =>
      req.url === '/' ? redirectTo(other.url)(req, res) : res.end(),
    );
    const other = await listen((req, res) => redirectTo(`${home.url}/back`)(req, res));
    await clientFor([home, other]).send({ ...get(home.url), secretHeaders: { [name]: SECRET } });
    expect(home.requests[0]?.headers[name.toLowerCase()]).toBe(SECRET);
    for (const request of [other.requests[0], home.requests[1]]) {
      expect(request?.headers).toMatchObject({
        'user-agent': 'workspace-automation',
        'accept-encoding': 'gzip, deflate, br',
      });
      expect(request?.rawHeaders).not.toContain(SECRET);
    }
  });

  test('are sent to no other port, scheme or name of the same server', async () => {
    const server = await listen((req, res) =>
      req.url === '/' ? redirectTo(`http://other.example:${server.port}/b`)(req, res) : res.end(),
    );
    const client = clientFor([server], {
      allow: ['127.0.0.0/8'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    await client.send({ ...get(server.url), secretHeaders: { authorization: SECRET } });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      SECRET,
      undefined,
    ]);
  });

  test.each([
    ['headers', { headers: { 'X-KEY': 'mine' } }],
    ['ownHeaders', { ownHeaders: { 'X-KEY': 'mine' } }],
  ])('are not replaced by %s', async (_which, given) => {
    const server = await listen((_req, res) => res.end());
    const sent = clientFor([server]).send({
      ...get(server.url),
      ...given,
      secretHeaders: { 'x-key': SECRET },
    });
    await expect(sent).rejects.toMatchObject({
      kind: 'INVALID_REQUEST',
      message: 'The header x-key cannot be set: it belongs to the credential.',
    });
    expect(server.connections).toBe(0);
  });

  test.each([
    ['a line break', { 'x-key': `${SECRET}\r\nhost: evil` }],
    ['a character beyond Latin-1', { 'x-key': `${SECRET}漢` }],
    ['a name of the connection', { host: SECRET }],
    ['too many bytes', { 'x-key': SECRET.repeat(3_000) }],
  ])('are refused without being named: %s', async (_what, secretHeaders) => {
    const server = await listen((_req, res) => res.end());
    const sent = clientFor([server]).send({ ...get(server.url), secretHeaders });
    await expect(sent).rejects.toMatchObject({
      kind: 'INVALID_REQUEST',
      message: expect.not.stringContaining(SECRET),
    });
    expect(server.connections).toBe(0);
  });
});

describe('a redirection that the caller refuses', () => {
  const refuseRedirect = ({ href }: URL): string | null =>
    href.includes(SECRET) ? 'The redirection contains the secret of the credential.' : null;

  test.each([
    ['within the origin', `/next?key=${SECRET}`],
    ['to another origin', `http://other.example:1/${SECRET}`],
    ['to a host of that name', `http://${SECRET}.other.example/`],
  ])('is not followed: %s', async (_where, location) => {
    const server = await listen((req, res) =>
      req.url === '/' ? redirectTo(location)(req, res) : res.end(),
    );
    let resolved = 0;
    const client = clientFor([server], {
      resolve: async () => {
        resolved++;
        return [];
      },
    });
    await expect(client.send({ ...get(server.url), refuseRedirect })).rejects.toMatchObject({
      kind: 'TARGET_REFUSED',
      message: 'The redirection contains the secret of the credential.',
    });
    expect(server.requests).toHaveLength(1);
    expect(resolved).toBe(0);
  });

  test('leaves the others, and sees each of them whole', async () => {
    const server = await listen((req, res) =>
      req.url === '/' ? redirectTo('a/../b?c#d', 302)(req, res) : res.end('here'),
    );
    const seen: string[] = [];
    const answer = await clientFor([server]).send({
      ...get(server.url),
      refuseRedirect: (url) => {
        seen.push(url.href);
        return refuseRedirect(url);
      },
    });
    expect(answer.url).toBe(`${server.url}/b?c`);
    expect(seen).toEqual([`${server.url}/b?c`]);
  });
});

test('a request that must not be redirected sends its secrets once', async () => {
  const other = await listen((_req, res) => res.end());
  const server = await listen(redirectTo(other.url, 308));
  const answer = await clientFor([server, other]).send({
    ...get(server.url),
    method: 'POST',
    body: 'grant_type=client_credentials',
    secretHeaders: { authorization: SECRET },
    maxRedirects: 0,
  });
  expect(answer.status).toBe(308);
  expect([server.requests.length, other.connections]).toEqual([1, 0]);
});

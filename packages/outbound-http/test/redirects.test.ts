import type { RequestListener } from 'node:http';
import { bodyOf, clientFor, closeAll, listen } from './servers.ts';

afterEach(closeAll);

const redirectTo =
  (location: string, status = 302): RequestListener =>
  (_req, res) =>
    res.writeHead(status, { location }).end('elsewhere');
const get = (url: string) => ({ method: 'GET', url, timeoutMs: 5_000 });

test('follows three redirections and no fourth', async () => {
  const server = await listen((req, res) => {
    const left = Number(req.url?.slice(1));
    if (left === 0) res.end('here');
    else redirectTo(`/${left - 1}`)(req, res);
  });
  const client = clientFor([server]);
  const answer = await client.send(get(`${server.url}/3`));
  expect(answer).toMatchObject({ status: 200, url: `${server.url}/0` });
  await expect(client.send(get(`${server.url}/4`))).rejects.toMatchObject({
    kind: 'CONNECTION_FAILED',
  });
});

test('answers a redirection itself when none is to be followed', async () => {
  const server = await listen(redirectTo('/there'));
  const answer = await clientFor([server]).send({ ...get(server.url), maxRedirects: 0 });
  expect(answer).toMatchObject({ status: 302, headers: { location: '/there' } });
});

test.each([
  'http://127.0.0.1:1/',
  'http://169.254.169.254/',
  'file:///etc/passwd',
  'http://user:secret@127.0.0.1/',
])('refuses to be sent on to %s', async (location) => {
  const server = await listen(redirectTo(location));
  await expect(clientFor([server]).send(get(server.url))).rejects.toMatchObject({
    kind: 'TARGET_REFUSED',
  });
});

const SECRETS = {
  Authorization: 'Bearer secret',
  Cookie: 'a=b',
  'X-Api-Key': 'secret',
  'Idempotency-Key': '1/do/0//1',
};

test('keeps every header within one origin', async () => {
  const server = await listen((req, res) =>
    req.url === '/' ? redirectTo('/next')(req, res) : res.end(),
  );
  await clientFor([server]).send({ ...get(server.url), headers: SECRETS });
  expect(server.requests[1]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    cookie: 'a=b',
    'x-api-key': 'secret',
    'idempotency-key': '1/do/0//1',
  });
});

test('sends no credential to another origin, nor back again', async () => {
  const home = await listen((req, res) =>
    req.url === '/' ? redirectTo(other.url, 307)(req, res) : res.end(),
  );
  const other = await listen((req, res) => redirectTo(`${home.url}/back`, 307)(req, res));
  const client = clientFor([home, other]);
  await client.send({ ...get(home.url), headers: { ...SECRETS, Accept: 'text/plain' } });
  for (const request of [other.requests[0], home.requests[1]]) {
    expect(request?.headers.accept).toBe('text/plain');
    expect(Object.keys(request?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/authorization|cookie|key/)]),
    );
  }
});

test("sends the sender's own headers everywhere, under names that nothing else can have", async () => {
  const other = await listen((_req, res) => res.end());
  const away = await listen(redirectTo(other.url, 308));
  const client = clientFor([away, other]);
  const ownHeaders = { 'Idempotency-Key': '1/do/0//1', traceparent: '00-1-2-01' };
  await client.send({
    ...get(away.url),
    method: 'POST',
    headers: { 'X-Api-Key': 's' },
    ownHeaders,
  });
  expect(away.requests[0]?.headers['x-api-key']).toBe('s');
  for (const { requests } of [away, other]) {
    expect(requests[0]?.headers).toMatchObject({
      'idempotency-key': '1/do/0//1',
      traceparent: '00-1-2-01',
    });
  }
  expect(other.requests[0]?.headers['x-api-key']).toBeUndefined();
  const headers = { 'IDEMPOTENCY-KEY': 'secret' };
  await expect(client.send({ ...get(other.url), headers, ownHeaders })).rejects.toMatchObject({
    kind: 'INVALID_REQUEST',
    message: expect.stringContaining('idempotency-key'),
  });
});

test.each([
  [301, 'POST', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [302, 'PUT', 'PUT', 'text'],
  [303, 'PUT', 'GET', ''],
  [303, 'HEAD', 'HEAD', ''],
  [307, 'POST', 'POST', 'text'],
  [308, 'PUT', 'PUT', 'text'],
])('%i makes %s a %s', async (status, method, becomes, body) => {
  const seen: [string | undefined, string, string | undefined][] = [];
  const server = await listen(async (req, res) => {
    seen.push([req.method, await bodyOf(req), req.headers['content-type']]);
    if (req.url === '/') redirectTo('/next', status)(req, res);
    else res.end();
  });
  const hasBody = method !== 'HEAD';
  await clientFor([server]).send({
    ...get(server.url),
    method,
    ...(hasBody ? { body: 'text', headers: { 'Content-Type': 'text/plain' } } : {}),
  });
  expect(seen[1]).toEqual([becomes, body, body ? 'text/plain' : undefined]);
});

test.each([
  [307, 'POST'],
  [308, 'POST'],
  [307, 'DELETE'],
  [301, 'PUT'],
  [302, 'PATCH'],
])('sends no body on to another origin: %i after a %s', async (status, method) => {
  const other = await listen((_req, res) => res.end());
  const away = await listen(redirectTo(`${other.url}/take?token=secret`, status));
  const sending = clientFor([away, other]).send({
    ...get(`${away.url}/?key=secret`),
    method,
    body: 'text',
  });
  await expect(sending).rejects.toMatchObject({
    kind: 'TARGET_REFUSED',
    message: `127.0.0.1:${away.port} redirected the request to ${other.url}: its body is not sent on to another origin.`,
  });
  expect(away.requests).toHaveLength(1);
  expect(other.connections).toBe(0);
});

test('sends on to another origin what has no body, or none any more', async () => {
  const bodies: string[] = [];
  const other = await listen(async (req, res) => {
    bodies.push(`${req.method} ${await bodyOf(req)}`);
    res.end();
  });
  const away = await listen((req, res) =>
    redirectTo(other.url, Number(req.url?.slice(1)))(req, res),
  );
  const client = clientFor([away, other]);
  const body = 'text';
  await client.send({ ...get(`${away.url}/307`), method: 'DELETE' });
  await client.send({ ...get(`${away.url}/303`), method: 'POST', body });
  await client.send({ ...get(`${away.url}/302`), method: 'POST', body });
  expect(bodies).toEqual(['DELETE ', 'GET ', 'GET ']);
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { e2e, started } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { LocalServer } from '../helpers/local-server.ts';

const PASSWORD = 'eleven quiet harbours';

interface TestAnswer {
  status: number;
  headers: Record<string, string>;
  body: { url: string; headers: Record<string, string>; body: string };
  truncated: boolean;
  durationMs: number;
}

/** The answers of the target by path; another path repeats the request as JSON. */
const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  '/missing': (response) => response.writeHead(404).end('nothing here'),
  '/long': (response) => response.end(`${'x'.repeat(131_060)}${PASSWORD}`.repeat(3)),
  '/cut': (response) => response.destroy(),
  '/hidden': (response) =>
    response
      .writeHead(302, { location: `http://localhost:1/?p=${encodeURIComponent(PASSWORD)}` })
      .end(),
};

const requests: IncomingMessage[] = [];

const target = started(
  new LocalServer((request, response) => {
    requests.push(request);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = ANSWERS[request.url ?? ''];
      if (answer) answer(response);
      else repeat(request, Buffer.concat(chunks).toString(), response);
    });
  }),
);
const { owner, workspace } = e2e({
  env: () => ({ OUTBOUND_ALLOW: `${target.host},127.0.0.1:1` }),
});

function repeat({ url, headers }: IncomingMessage, body: string, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  response.setHeader('set-cookie', 'session=abcdefgh');
  const [, credentials = ''] = String(headers.authorization).split(' ');
  response.setHeader('x-echo', `${Buffer.from(credentials, 'base64')} beside`);
  response.end(JSON.stringify({ url, headers, body }));
}

const createCredential = () =>
  workspace.make('/auth-credentials', {
    name: 'Target',
    authType: 'BASIC',
    allowedOrigins: [target.origin, 'http://127.0.0.1:1', 'http://10.0.0.1'],
    secret: { username: 'ada', password: PASSWORD },
  });

async function createDescription(url: string, methodType = 'POST') {
  const { id: authCredentialId } = await createCredential();
  const described = { name: 'Orders', description: '', url, methodType, authCredentialId };
  return workspace.make('/api-descriptions', described);
}

async function testCredential<T>(url: unknown): Promise<Answer<T>> {
  const { id } = await createCredential();
  return owner.call<T>('POST', `/auth-credentials/${id}/test`, { body: { url } });
}

async function testDescription<T>(url: string, body?: object): Promise<Answer<T>> {
  const { id } = await createDescription(url);
  return owner.call<T>('POST', `/api-descriptions/${id}/test`, body ? { body } : {});
}

const faultsOf = ({ status, body }: Answer<ProblemBody>) =>
  [status, ...(body.errors ?? []).map(({ in: place, path }) => `${place} ${path}`)].join(' ');

test('a credential is sent with one GET request, and its secret is in no part of the answer', async () => {
  const { status, body, text } = await testCredential<TestAnswer>(`${target.origin}/me?full=1`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json', 'set-cookie': '***' },
    body: {
      url: '/me?full=1',
      body: '',
      headers: { authorization: expect.stringContaining('***') },
    },
    truncated: false,
    durationMs: expect.any(Number),
  });
  const credentials = Buffer.from(`ada:${PASSWORD}`).toString('base64');
  expect(requests.at(-1)).toMatchObject({
    method: 'GET',
    headers: { authorization: `Basic ${credentials}` },
  });
  expect(text).not.toContain(credentials);
});

test('an answer that is no success of the target is a success of the test', async () => {
  const { status, body } = await testCredential<TestAnswer>(`${target.origin}/missing`);
  expect([status, body.status, body.body]).toEqual([200, 404, 'nothing here']);
});

test('a long answer is cut, and no part of a secret stays at the cut', async () => {
  const { body } = await testCredential<{ body: string; truncated: boolean }>(
    `${target.origin}/long`,
  );
  expect(body.truncated).toBe(true);
  expect(body.body.replaceAll('x', '')).toMatch(/^\**$/);
});

test.each([
  ['another origin', 'https://elsewhere.example/', '400 body url'],
  ['no URL', 'nowhere', '400 body url'],
  ['another scheme', 'ftp://127.0.0.1/', '400 body url'],
  ['a private address', 'http://10.0.0.1/', '400 body url'],
  ['no text', 7, '400 body url'],
  ['nothing that listens', 'http://127.0.0.1:1/', '502'],
])('a credential is not tested with %s', async (_, url, expected) => {
  expect(faultsOf(await testCredential<ProblemBody>(url))).toBe(expected);
});

test('a URL with a password is refused', async () => {
  const url = target.origin.replace('//', '//name:password@');
  expect(faultsOf(await testCredential<ProblemBody>(url))).toBe('400 body url');
});

test('a cut connection is 502, and a redirection that shows the secret elsewhere is refused', async () => {
  const cut = await testCredential<ProblemBody>(`${target.origin}/cut`);
  expect([cut.status, cut.body.code]).toEqual([502, 'TARGET_UNREACHABLE']);
  const hidden = await testCredential<ProblemBody>(`${target.origin}/hidden`);
  expect(faultsOf(hidden)).toBe('400 body url');
  expect(hidden.text).not.toContain(encodeURIComponent(PASSWORD));
});

test('placeholders are filled and encoded in path and query, and further parameters are added', async () => {
  const { body } = await testDescription<TestAnswer>(
    `${target.origin}/orders/{id}/lines?since={since}`,
    {
      path: { id: 'a/b?c#d' },
      query: { since: '2026 & 2027', page: 2, tag: ['x', 'y'] },
      headers: { 'X-Note': 'hello' },
      body: { quantity: 3 },
    },
  );
  expect(body.body).toMatchObject({
    url: '/orders/a%2Fb%3Fc%23d/lines?since=2026%20%26%202027&page=2&tag=x&tag=y',
    headers: { 'x-note': 'hello', 'content-type': 'application/json' },
    body: '{"quantity":3}',
  });
});

test('a header of the request with a part of the secret does not uncover the rest', async () => {
  const part = PASSWORD.slice(0, 12);
  const { text } = await testDescription(`${target.origin}/echo`, {
    headers: { 'x-auth-token': part },
  });
  expect(text).toContain('*** ');
  expect(text).not.toContain(PASSWORD.slice(12));
});

test('a body that is text is sent as it is, with the type that the request names', async () => {
  const { body } = await testDescription<TestAnswer>(`${target.origin}/text`, {
    headers: { 'content-type': 'text/csv' },
    body: 'a,b',
  });
  expect(body.body).toMatchObject({ headers: { 'content-type': 'text/csv' }, body: 'a,b' });
});

test('a test needs no body', async () => {
  const { status, body } = await testDescription<TestAnswer>(`${target.origin}/plain`);
  expect([status, body.body.url]).toEqual([200, '/plain']);
});

test.each<[string, object | undefined, string]>([
  ['a placeholder is missing', undefined, '400 body path.id'],
  ['a placeholder is surplus', { path: { id: '7', other: '8' } }, '400 body path.other'],
  ['a value is a dot segment', { path: { id: '..' } }, '400 body path.id'],
  ['a value is empty', { path: { id: '' } }, '400 body path.id'],
  [
    'a header has a line break',
    { path: { id: '7' }, headers: { note: 'a\r\nb' } },
    '400 body headers',
  ],
  [
    'a header belongs to the credential',
    { path: { id: '7' }, headers: { Authorization: 'x' } },
    '400 body headers',
  ],
  [
    'a header belongs to the connection',
    { path: { id: '7' }, headers: { Host: 'x' } },
    '400 body headers',
  ],
  ['a field is unknown', { path: { id: '7' }, url: 'x' }, '400 body url'],
])('a description is not tested when %s', async (_, body, expected) => {
  const before = requests.length;
  expect(faultsOf(await testDescription<ProblemBody>(`${target.origin}/orders/{id}`, body))).toBe(
    expected,
  );
  expect(requests).toHaveLength(before);
});

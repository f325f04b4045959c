import { e2e, type Result } from '../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { createWorkspace } from '../helpers/people.ts';

type Flow = Result<'flows.get'>;

const FILE = 'do:\n  - first:\n      set: { value: 1 }\n';
const YAML = { 'content-type': 'application/yaml' };

const { server, owner, stranger, workspace } = e2e();

type Query = Record<string, string | number | undefined>;
interface Sent {
  headers?: Record<string, string>;
  /** The query as text, in place of the parameters. */
  search?: string;
}

function send<T = ProblemBody>(
  method: 'POST' | 'PUT',
  raw: string | Buffer,
  query: Query,
  { headers, search = '' }: Sent = {},
): Promise<Answer<T>> {
  const options = { token: owner.token, raw, query, headers: { ...YAML, ...headers } };
  return request<T>(server.url, method, `/flows${search}`, options);
}

const create = <T = ProblemBody>(raw: string | Buffer, query: Query, sent?: Sent) =>
  send<T>('POST', raw, { workspaceId: workspace.id, ...query }, sent);

const contentOf = async ({ id, versionId }: Flow) =>
  (await owner.call('GET', `/flows/${id}/versions/${versionId}`)).text;

test('a flow is made of the file as it is, with the rest in the query', async () => {
  const file = `# Grüße\r\n${FILE}`;
  const { status, headers, body } = await create<Flow>(file, {
    name: ' From a file ',
    description: 'One + two & three',
  });
  expect({ status, warnings: headers['x-flow-warnings'] }).toEqual({ status: 200, warnings: '0' });
  expect(body).toMatchObject({
    workspaceId: workspace.id,
    name: 'From a file',
    description: 'One + two & three',
  });
  expect(await contentOf(body)).toBe(file);
});

test('a flow is changed by a file, and its If-Match is compared', async () => {
  const { body: flow } = await create<Flow>(FILE, { name: 'Changed by a file' });
  const { headers } = await owner.call('GET', `/flows/${flow.id}`);
  const ifMatch = { headers: { 'if-match': headers.etag ?? '' } };
  const file = FILE.replace('1', '2');
  const { status, body } = await send<Flow>('PUT', file, { flowId: flow.id, name: 'New' }, ifMatch);
  expect({ status, name: body.name }).toEqual({ status: 200, name: 'New' });
  expect(await contentOf(body)).toBe(file);
  expect((await send('PUT', FILE, { flowId: flow.id }, ifMatch)).status).toBe(412);
});

test('a file is checked as it is', async () => {
  const options = { token: owner.token, raw: 'do: 7\n', headers: YAML };
  const { status, body } = await request<{ valid: boolean }>(
    server.url,
    'POST',
    '/flows/validate',
    options,
  );
  expect({ status, valid: body.valid }).toEqual({ status: 200, valid: false });
});

test('every fault of the file has its place, and nothing is stored', async () => {
  const { status, body } = await create(`retries: 3\n${FILE}`, { name: 'Faulty' });
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    expect.objectContaining({ in: 'body', path: 'content', line: 1, column: 1 }),
  ]);
  expect((await create(FILE, { name: 'Faulty' })).status).toBe(200);
});

describe('each value comes from its own place alone', () => {
  const places = ({ errors = [] }: ProblemBody) =>
    errors.map(({ in: place, path, code }) => `${place} ${path} ${code}`);

  test.each<[string, Query, string[]]>([
    ['no name', {}, ['query name required']],
    ['a name of digits', { name: '7' }, ['query name invalid_value']],
    ['no workspace', { workspaceId: undefined, name: 'x' }, ['query workspaceId required']],
    ['no id', { workspaceId: 'x1', name: 'x' }, ['query workspaceId invalid_id']],
    ['an empty id', { workspaceId: '', name: 'x' }, ['query workspaceId invalid_id']],
    ['the file in the query', { name: 'x', content: 'do: []' }, ['query content unknown_field']],
    ['an unknown parameter', { name: 'x', nme: 'x' }, ['query nme unknown_field']],
  ])('with YAML: %s', async (_, query, expected) => {
    const { status, body } = await create(FILE, query);
    expect({ status, places: places(body) }).toEqual({ status: 400, places: expected });
  });

  test('with YAML: a parameter given twice', async () => {
    const search = `?workspaceId=${workspace.id}&name=a&name=b`;
    const { status, body } = await send('POST', FILE, {}, { search });
    expect({ status, places: places(body) }).toEqual({
      status: 400,
      places: ['query name given_twice'],
    });
  });

  test('with JSON the query has none of them', async () => {
    const { status, body } = await owner.call<ProblemBody>('POST', '/flows', {
      query: { name: 'In the query' },
      body: { workspaceId: workspace.id, name: 'In the body', content: FILE },
    });
    expect({ status, places: places(body) }).toEqual({
      status: 400,
      places: ['query name unknown_field'],
    });
  });

  test('a name that is taken is 409 in both forms', async () => {
    const query = { name: 'Taken' };
    await create(FILE, query);
    expect((await create(FILE, query)).body.code).toBe('FLOW_NAME_TAKEN');
  });
});

test('a workspace of others is 404, before any fault of the request is told', async () => {
  const others = await createWorkspace(stranger);
  expect((await create('do: 7', { workspaceId: others })).status).toBe(404);
});

describe('a body that is no text to keep is refused', () => {
  test.each<[string, string | Buffer, Record<string, string>, number, string]>([
    ['nothing', '', {}, 400, 'INVALID_REQUEST'],
    ['bytes that are no UTF-8', Buffer.from([0x64, 0xff]), {}, 400, 'MALFORMED_BODY'],
    ['NUL', `${FILE}# \0`, {}, 400, 'INVALID_REQUEST'],
    ['more than 256 KiB', `${FILE}#${'x'.repeat(256 * 1024)}`, {}, 400, 'INVALID_REQUEST'],
    ['more than 1 MiB', `#${'x'.repeat(1024 * 1024)}`, {}, 413, 'BODY_TOO_LARGE'],
    ['plain text', FILE, { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'Latin 1',
      FILE,
      { 'content-type': 'application/yaml; charset=iso-8859-1' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  ])('%s', async (_, raw, headers, status, code) => {
    const answer = await create(raw, { name: 'Refused' }, { headers });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    if (status === 415) {
      expect(answer.body.detail).toBe(
        'The body must be application/json or application/yaml in UTF-8.',
      );
    }
  });
});

test('a byte order mark is kept with the file', async () => {
  const { status, body } = await create<Flow>(`\ufeff${FILE}`, { name: 'Marked' });
  expect(status).toBe(200);
  expect(await contentOf(body)).toBe(`\ufeff${FILE}`);
});

describe('an Idempotency-Key belongs to the body with its query and its form', () => {
  test('the same request gets the same flow', async () => {
    const sent = { headers: { 'idempotency-key': 'yaml-1' } };
    const first = await create<Flow>(FILE, { name: 'Once' }, sent);
    const second = await create<Flow>(FILE, { name: 'Once' }, sent);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    expect((await create(FILE, { name: 'Twice' }, sent)).status).toBe(422);
  });

  test('the same bytes in JSON are another request', async () => {
    const file = '{"do": []}';
    const headers = { 'idempotency-key': 'yaml-2' };
    const query = { name: 'Either' };
    const json = { headers: { ...headers, 'content-type': 'application/json' } };
    expect((await create(file, query, json)).status).toBe(400);
    expect((await create(file, query, { headers })).status).toBe(200); // a 400 leaves the key
    expect((await create(file, query, json)).status).toBe(422);
  });
});

import { e2e, made, type Result } from '../../fixtures/e2e.ts';
import { type ProblemBody, type RequestOptions, request } from '../../helpers/http.ts';
import { waitFor } from '../../helpers/wait.ts';

type Issue = Result<'issues.get'>;

const { server, owner, workspace } = e2e({ own: true });

const kept = made(() => workspace.issue('Kept', { description: 'Kept' }));

const JSON_TYPE = { 'content-type': 'application/json' };
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const text = (json: string, type = 'application/json'): RequestOptions => ({
  raw: json,
  headers: { 'content-type': type },
});
const valid = '"title":"x","description":"y"';

/** What is wrong, how it is sent, the status, and the fields that the answer names. */
type Case = [what: string, options: RequestOptions, status: number, fields: string[]];

const bodies: Case[] = [
  ['not JSON', text('{"title":'), 400, []],
  ['two values', text(`{${valid}} {}`), 400, []],
  [
    'bytes that are no UTF-8',
    { raw: Buffer.from([0x22, 0xff, 0x22]), headers: JSON_TYPE },
    400,
    [],
  ],
  ['no body', {}, 400, ['']],
  ['an empty body', text(''), 400, ['']],
  ['an array for the object', text(`[{${valid}}]`), 400, ['', 'title', 'description']],
  ['a string for the object', text('"x"'), 400, ['', 'title', 'description']],
  ['null for the object', text('null'), 400, ['', 'title', 'description']],
  ['another media type', text(`{${valid}}`, 'text/plain'), 415, []],
  ['no media type', { raw: `{${valid}}` }, 415, []],
  ['another charset', text(`{${valid}}`, 'application/json; charset=latin1'), 415, []],
  ['a form', text('title=x&description=y', 'application/x-www-form-urlencoded'), 415, []],
  ['too large', text(`{"title":"x","description":"${'y'.repeat(256 * 1024)}"}`), 413, []],
  ['too deep', text(`{${valid},"extra":${nested(40)}}`), 400, ['']],
  ['brackets upon brackets', text(nested(100_000)), 400, ['']],
  ['wrong types', text('{"title":1,"description":{}}'), 400, ['title', 'description']],
  ['an object for an id', text(`{${valid},"workspaceId":{"toString":1}}`), 400, ['workspaceId']],
  ['null for text', text('{"title":null,"description":null}'), 400, ['title', 'description']],
  ['an array for text', text('{"title":["x"],"description":"y"}'), 400, ['title']],
  ['an operator for text', text('{"title":{"$ne":""},"description":"y"}'), 400, ['title']],
  ['an unknown field', text(`{${valid},"colour":"red"}`), 400, ['colour']],
  ['__proto__', text(`{${valid},"__proto__":{"admin":true}}`), 400, ['__proto__']],
  ['constructor', text(`{${valid},"constructor":1}`), 400, ['constructor']],
  ['an empty title', text('{"title":"","description":"y"}'), 400, ['title']],
  ['a blank title', text('{"title":"  ","description":"y"}'), 400, ['title']],
  ['a line break in the title', text('{"title":"a\\nb","description":"y"}'), 400, ['title']],
  ['a long title', text(`{"title":"${'x'.repeat(201)}","description":"y"}`), 400, ['title']],
  [
    'a long description',
    text(`{"title":"x","description":"${'y'.repeat(10_001)}"}`),
    400,
    ['description'],
  ],
  ['a lone surrogate', text('{"title":"\\ud800","description":"y"}'), 400, ['title']],
  ['NUL', text('{"title":"x","description":"a\\u0000b"}'), 400, ['description']],
  ['an escape character', text('{"title":"x","description":"\\u001b[2J"}'), 400, ['description']],
  ...['0', '-1', '1.5', '"1"', '9007199254740993', '1e999', '[1]', 'true'].map(
    (id): Case => [
      `the user id ${id}`,
      text(`{${valid},"assignedUserId":${id}}`),
      400,
      ['assignedUserId'],
    ],
  ),
];

const writes = (): [string, string][] => [
  ['POST', workspace.issues],
  ['POST', `${workspace.issues}/external`],
  ['PUT', `${workspace.issues}/${kept.id}`],
];

/** The fields that an update may leave out. */
const OPTIONAL = ['title', 'description'];

describe.each(bodies)('a body with %s', (what, options, status, fields) => {
  it(`is ${status} wherever an issue is written, names what is wrong, and stores nothing`, async () => {
    for (const [method, path] of writes()) {
      const answer = await owner.call<ProblemBody>(method, path, options);
      expect([method, path, answer.status]).toEqual([method, path, status]);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      const named = (answer.body.errors ?? []).map((fault) => fault.path);
      const missing = method === 'PUT' && /object/.test(what) ? OPTIONAL : [];
      expect(named.sort()).toEqual(fields.filter((field) => !missing.includes(field)).sort());
    }
    const { body } = await owner.call<Issue[]>('GET', workspace.issues);
    expect(body).toEqual([kept]);
  });
});

describe('the workspace in a body', () => {
  it('is what the path says as a number, and as nothing that only reads like it', async () => {
    const id = Number(workspace.issues.split('/')[2]);
    const body = { title: 'Kept', description: 'Kept' };
    const put = (workspaceId: unknown) =>
      owner.call<ProblemBody>('PUT', `${workspace.issues}/${kept.id}`, {
        body: { ...body, workspaceId },
      });
    expect((await put(id)).status).toBe(200);
    for (const other of [id + 1, `${id}`, [id], [[id]], null, { toString: null }]) {
      const { status, body: problem } = await put(other);
      expect([status, problem.errors?.map(({ path }) => path)]).toEqual([400, ['workspaceId']]);
    }
  });

  it('is not answered with every one of thousands of unknown fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]));
    const { status, text: answer } = await owner.call('PUT', `${workspace.issues}/${kept.id}`, {
      body: { assignee: { id: 1, ...many } },
    });
    expect(status).toBe(400);
    expect(answer.length).toBeLessThan(20_000);
  });
});

const BAD_IDS = [
  '0',
  '-1',
  '+1',
  '1e3',
  '01',
  '1.0',
  '0x1',
  '9007199254740993',
  '99999999999999999999',
  '%zz',
  '%31',
  '%00',
  '1%20',
  '$ne',
  '[object%20Object]',
];

describe.each(BAD_IDS)('the id %s', (id) => {
  it('is 400 in every path, by name', async () => {
    const body = { title: 'x', description: 'y' };
    for (const [method, path, name, options] of [
      ['GET', `/workspaces/${id}/issues`, 'workspaceId', {}],
      ['POST', `/workspaces/${id}/issues`, 'workspaceId', { body }],
      ['POST', `/workspaces/${id}/issues/external`, 'workspaceId', { body }],
      ['GET', `${workspace.issues}/${id}`, 'issueId', {}],
      ['PUT', `${workspace.issues}/${id}`, 'issueId', { body }],
      ['DELETE', `${workspace.issues}/${id}`, 'issueId', {}],
    ] as const) {
      const answer = await owner.call<ProblemBody>(method, path, options);
      const [fault] = answer.body.errors ?? [];
      expect([method, path, answer.status, fault?.in, fault?.path]).toEqual([
        method,
        path,
        400,
        'path',
        name,
      ]);
    }
  });
});

describe.each([
  ['a[$ne]=1', 'a[$ne]'],
  ['title[$ne]=1', 'title[$ne]'],
  ['title=x', 'title'],
  ['__proto__=1', '__proto__'],
  ['a=%zz', 'a'],
  ['a=%00', 'a'],
])('the query %s', (search, name) => {
  it('is 400 on every operation, by name', async () => {
    for (const [method, path] of [
      ...writes(),
      ['GET', workspace.issues],
      ['GET', `${workspace.issues}/${kept.id}`],
      ['DELETE', `${workspace.issues}/${kept.id}`],
    ] as const) {
      const options = method === 'POST' || method === 'PUT' ? text(`{${valid}}`) : {};
      const answer = await owner.call<ProblemBody>(method, `${path}?${search}`, options);
      const named = answer.body.errors?.map((fault) => `${fault.in} ${fault.path}`);
      expect([method, answer.status, named]).toEqual([method, 400, [`query ${name}`]]);
    }
    expect((await owner.call('GET', `${workspace.issues}/${kept.id}`)).body).toEqual(kept);
  });
});

const logged = (requestId: string) =>
  waitFor('the line', () => {
    const lines = server.logLines().filter((line) => JSON.stringify(line).includes(requestId));
    return lines.length > 0 && lines;
  });

describe('a refused request', () => {
  it('leaves one line in the log, with nothing of its body', async () => {
    const requestId = 'bad-input-1';
    const secret = 'do-not-log-me';
    await request(server.url, 'POST', workspace.issues, {
      token: owner.token,
      ...text(`{"title":"${secret}","${secret}":1,"description":[]}`),
      headers: { ...JSON_TYPE, 'x-request-id': requestId },
    });
    await request(server.url, 'GET', '/health/live', { headers: { 'x-request-id': 'later' } });
    await logged('later');
    const lines = await logged(requestId);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('was never an error of ours', () => {
    const levels = server.logLines().map(({ level }) => level);
    expect(
      levels.filter((level) => level === 'error' || level === 'fatal' || Number(level) >= 50),
    ).toEqual([]);
  });
});

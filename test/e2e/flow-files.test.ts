import { setTimeout as sleep } from 'node:timers/promises';
import { MISTAKES } from '../../packages/flow-language/test/language/mistakes.ts';
import { e2e, type Result } from '../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { createWorkspace, registerVerified } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

type Validated = Result<'flows.validate'>;

type Flow = Result<'flows.get'>;

const GOOD = 'do:\n  - first:\n      set: { value: 1 }\n';

const { server, owner, workspace } = e2e();

const validate = (content: unknown) =>
  owner.call<Validated>('POST', '/flows/validate', { body: { content } });
const create = <T>(content: string, name: string) =>
  owner.call<T>('POST', '/flows', { body: { workspaceId: workspace.id, name, content } });

test('every fault is named with its place, and nothing is stored', async () => {
  const content = `retries: 3\ndo:\n  - one: { set: { a: "\${ 1 + }" } }\n  - one: { jump: 1 }\n`;
  const { status, body } = await create<ProblemBody>(content, 'Faulty');
  expect(status).toBe(400);
  expect(body.code).toBe('INVALID_REQUEST');
  expect(body.errors?.length).toBeGreaterThan(2);
  for (const error of body.errors ?? []) {
    expect(error).toEqual({
      in: 'body',
      path: 'content',
      code: expect.stringMatching(/^[A-Z_]+$/),
      message: expect.any(String),
      line: expect.any(Number),
      column: expect.any(Number),
    });
  }
  expect(body.errors?.[0]).toMatchObject({ line: 1, column: 1 });
  expect((await create(GOOD, 'Faulty')).status).toBe(200); // the name is still free
});

test('an invalid file changes nothing, not even the name beside it', async () => {
  const { body: flow } = await create<{ id: number }>(GOOD, 'Steady');
  const answer = await owner.call('PUT', '/flows', {
    body: { flowId: flow.id, name: 'Renamed', content: 'do: 7' },
  });
  expect(answer.status).toBe(400);
  expect((await owner.call('GET', `/flows/${flow.id}`)).body).toEqual(flow);
  expect((await owner.call('GET', `/flows/${flow.id}/versions`)).body).toHaveLength(1);
});

test('validating stores nothing and answers 200 for good and bad', async () => {
  expect(await validate(GOOD)).toMatchObject({ status: 200, body: { valid: true, faults: [] } });
  const { status, body } = await validate('do: 7\n');
  expect(status).toBe(200);
  expect(body.valid).toBe(false);
  expect(body.faults[0]).toEqual({
    line: 1,
    column: expect.any(Number),
    code: expect.any(String),
    message: expect.any(String),
  });
});

test.each(
  MISTAKES.filter(([what]) =>
    /^(?:n8n: \$json|jq: a pipe|YAML: a ternary|a misspelt kind)/.test(what),
  ),
)('validating says what to write instead of %s', async (_, content, notes) => {
  const { status, body } = await validate(content);
  const shown = body.faults.map((one) => `${one.line}:${one.column} ${one.code} ${one.message}`);
  expect({ status, valid: body.valid, shown }).toEqual({ status: 200, valid: false, shown: notes });
});

test('validating warns of a text that looks like an expression', async () => {
  const { body } = await validate('do:\n  - first:\n      set: { value: $input.id }\n');
  expect({ valid: body.valid, faults: body.faults }).toEqual({ valid: true, faults: [] });
  expect(body.warnings).toEqual([
    {
      line: 3,
      column: 21,
      code: 'LOOKS_LIKE_EXPRESSION',
      message: expect.stringContaining('$input.id'),
    },
  ]);
});

test('validating names the place of what looks like a secret, and not the secret', async () => {
  const content = `# Bearer abcdefgh1\n${GOOD}  - get:\n      call: http\n      with: { method: get, endpoint: 'https://a.test', headers: { X-Api-Key: hunter-22 } }\n`;
  const { status, body } = await validate(content);
  expect({ status, valid: body.valid, faults: body.faults }).toEqual({
    status: 200,
    valid: true,
    faults: [],
  });
  expect(body.warnings).toEqual([
    { line: 1, column: 3, code: 'SECRET_IN_TEXT', message: expect.stringMatching(/credential/) },
    { line: 7, column: 78, code: 'SECRET_IN_HEADER', message: expect.stringMatching(/credential/) },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/abcdefgh1|hunter/);
});

describe('the number of warnings of a stored file is a header', () => {
  const call = `      call: http\n      with: { method: get, endpoint: 'https://a.test', headers: { X-Api-Key: hunter-22 } }\n`;
  const secretive = (secrets: number): string =>
    GOOD + Array.from({ length: secrets }, (_, n) => `  - get${n}:\n${call}`).join('');
  const WARNINGS = 'x-flow-warnings';

  test.each([0, 1, 2])('when a flow is made with a file of %d', async (count) => {
    const { status, headers, body } = await create<Flow>(secretive(count), `Made with ${count}`);
    expect({ status, warnings: headers[WARNINGS] }).toEqual({ status: 200, warnings: `${count}` });
    expect((await owner.call('GET', `/flows/${body.id}`)).body).toEqual(body);
  });

  test('which is 101 for a file of more than 100', async () => {
    expect((await create(secretive(101), 'Made with 101')).headers[WARNINGS]).toBe('101');
    expect((await create(secretive(150), 'Made with 150')).headers[WARNINGS]).toBe('101');
  });

  test('when a file that differs is stored, and only then', async () => {
    const { body: flow, headers } = await create<Flow>(secretive(1), 'Changed');
    expect(headers[WARNINGS]).toBe('1');
    const update = (fields: object) =>
      owner.call<Flow>('PUT', '/flows', { body: { flowId: flow.id, ...fields } });
    const warningsOf = async (fields: object) => (await update(fields)).headers[WARNINGS];
    expect(await warningsOf({ content: secretive(1) })).toBeUndefined();
    expect(await warningsOf({ description: 'No file' })).toBeUndefined();
    expect(await warningsOf({ content: secretive(2) })).toBe('2');
    expect(await warningsOf({ content: secretive(0) })).toBe('0');
    const empty = await owner.call('POST', '/flows', {
      body: { workspaceId: workspace.id, name: 'No file' },
    });
    expect(empty.headers).not.toHaveProperty(WARNINGS);
  });

  test('and stands apart from the body and its ETag', async () => {
    const { body: flow } = await create<Flow>(GOOD, 'Tagged');
    const stored = await owner.call<Flow>('PUT', '/flows', {
      body: { flowId: flow.id, content: secretive(1) },
    });
    const read = await owner.call<Flow>('GET', `/flows/${flow.id}`);
    expect(stored.headers[WARNINGS]).toBe('1');
    expect(stored.text).toBe(read.text);
    expect(stored.headers.etag).toBe(read.headers.etag);
    expect(read.headers).not.toHaveProperty(WARNINGS);
  });

  test('which the repeat of an Idempotency-Key has as well', async () => {
    const post = () =>
      owner.call<Flow>('POST', '/flows', {
        body: { workspaceId: workspace.id, name: 'Repeated', content: secretive(2) },
        headers: { 'idempotency-key': 'warnings-1' },
      });
    const first = await post();
    const again = await post();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect([first.headers[WARNINGS], again.headers[WARNINGS]]).toEqual(['2', '2']);
    expect(again.text).toBe(first.text);
  });

  test('and a refused file has none', async () => {
    const { status, headers } = await create(`${secretive(1)}retries: 3\n`, 'Refused');
    expect(status).toBe(400);
    expect(headers).not.toHaveProperty(WARNINGS);
  });
});

test('validating needs a token and a text', async () => {
  const anonymous = await request(server.url, 'POST', '/flows/validate', { body: { content: '' } });
  expect(anonymous.status).toBe(401);
  expect((await validate(null)).status).toBe(400);
  expect((await validate(undefined)).status).toBe(400);
  expect((await validate('a\0b')).status).toBe(400);
});

const keys = (count: number): string =>
  Array.from({ length: count }, (_, n) => `        k${n}: 1`).join('\n');
const aliases = ['a: &a [x, x, x, x, x, x, x, x, x]'];
for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi']) {
  aliases.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(', ')}]`);
}

const HOSTILE: [string, string][] = [
  ['over its limit', `${GOOD}#${'x'.repeat(300 * 1024)}`],
  ['with aliases by the billion', `${aliases.join('\n')}\n${GOOD}`],
  ['with 1,000 nested lists', `do:\n  - a:\n      set: ${'['.repeat(1_000)}${']'.repeat(1_000)}\n`],
  ['with 120,000 open brackets', `do: ${'['.repeat(120_000)}`],
  ['with 20,000 keys in one map', `do:\n  - a:\n      set:\n${keys(20_000)}\n`],
  ['with a duplicate key', `${GOOD}do: []\n`],
  ['with tabs', 'do:\n\t- a:\n\t\tset: { b: 1 }\n'],
  ['with a custom tag', 'do:\n  - a: { set: !evil { b: 1 } }\n'],
];

test.each(HOSTILE)('a file %s is refused with the place', async (_what, content) => {
  const { status, body } = await create<ProblemBody>(content, 'Hostile');
  expect(status).toBe(400);
  expect(body.errors?.[0]).toMatchObject({
    path: 'content',
    line: expect.any(Number),
    column: expect.any(Number),
  });
  const validated = await validate(content);
  expect(validated).toMatchObject({ status: 200, body: { valid: false } });
});

/** Writes a valid file with the given number of expressions. `name` makes them differ from those of other files. */
const fileWith = (expressions: number, name: string): string =>
  `do:\n  - a:\n      set:\n        v: [${Array.from(
    { length: expressions },
    (_, n) => `'\${${name}~>/${n}/}'`,
  ).join(',')}]\n`;
/** Valid, within every limit, and the longest to check that fits. */
const COSTLY = fileWith(9_000, 'a');

/** Validates a file. A check that a slow machine has refused is sent again. */
const validateUntilChecked = (content: string): Promise<Answer<Validated>> =>
  waitFor('the check', async () => {
    const answer = await validate(content);
    return answer.status !== 429 && answer;
  });

test('others are answered as ever while hostile files are checked', async () => {
  const bystander = await registerVerified(server.url, 'Bystander');
  const theirs = await createWorkspace(bystander);
  await validate(GOOD); // a child is there
  let checking = true;
  const files = [COSTLY, ...HOSTILE.map(([, content]) => content), COSTLY];
  const hostile = Promise.all(files.map(validateUntilChecked)).finally(() => {
    checking = false;
  });
  const askAlways = async (ask: () => Promise<{ status: number }>): Promise<number> => {
    let answers = 0;
    for (; checking; answers++) {
      expect((await ask()).status).toBe(200);
      await sleep(5); // the checks need the processor as well
    }
    return answers;
  };
  const [live, read, checked] = await Promise.all([
    askAlways(() => request(server.url, 'GET', '/health/live')),
    askAlways(() => bystander.call('GET', `/workspaces/${theirs}/flows`)),
    askAlways(() => bystander.call('POST', '/flows/validate', { body: { content: GOOD } })),
  ]);
  expect((await hostile).map(({ status }) => status)).toEqual(files.map(() => 200));
  // Not only between one hostile file and the next.
  expect(live).toBeGreaterThan(2 * files.length);
  expect(read).toBeGreaterThan(2 * files.length);
  expect(checked).toBeGreaterThan(1); // not only after the hostile ones
});

test('one caller cannot have any number of files wait', async () => {
  // Enough for two processes. All come while the first is checked, also where requests take their time.
  const others = Array.from({ length: 60 }, (_, n) => fileWith(500, `c${n}`));
  const files = [fileWith(9_000, 'b'), ...others];
  const answers = await Promise.all(files.map(validate));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({
    headers: { 'retry-after': '2' },
    body: { code: 'TOO_MANY_FILES' },
  });
  expect((await validate(GOOD)).status).toBe(200);
});

test('a body over a mebibyte is 413', async () => {
  const { status } = await validate('x'.repeat(1024 * 1024));
  expect(status).toBe(413);
});

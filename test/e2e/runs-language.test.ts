import { e2e } from '../fixtures/e2e.ts';
import { callKey, type RunAnswer, runToEnd, stepsOf } from '../helpers/runs.ts';

const { owner: ada, workspace, api } = e2e();

async function run(content: string, input?: unknown): Promise<RunAnswer> {
  return runToEnd(ada, await workspace.flow(content), input);
}
const call = (path: string, more = '') =>
  `call: http, with: { method: get, endpoint: '${api.url}${path}'${more} }`;

test('branches by what the input says', async () => {
  const flowId = await workspace.flow(`do:
  - which:
      switch:
        - big: { when: '\${ $.n > 10 }', then: large }
        - other: { then: small }
  - small: { set: { size: small }, then: end }
  - large: { set: { size: large } }
`);
  expect((await runToEnd(ada, flowId, { n: 50 })).output).toEqual({ size: 'large' });
  expect((await runToEnd(ada, flowId, { n: 5 })).output).toEqual({ size: 'small' });
});

test('loops with one call a round, each with its own idempotency key', async () => {
  const { id, output } = await run(
    `do:
  - each: { for: { each: name, in: '\${ $.names }', at: i }, do: [ { hit: { call: http, with: { method: post, endpoint: '${api.url}/ok/loop', body: '\${ {"name": $name, "i": $i} }' } } } ] }
`,
    { names: ['ada', 'grace'] },
  );
  expect(output).toEqual({ path: '/ok/loop', n: 2 });
  const calls = api.calls.filter(({ path }) => path === '/ok/loop');
  expect(calls.map(({ body }) => JSON.parse(body))).toEqual([
    { name: 'ada', i: 0 },
    { name: 'grace', i: 1 },
  ]);
  expect(calls.map(({ key }) => key)).toEqual([
    callKey(id, '/.*/hit/0/1'),
    callKey(id, '/.*/hit/1/1'),
  ]);
});

test('retries what fails for a while, under one idempotency key', async () => {
  const { id, status, output } = await run(`do:
  - tried:
      try:
        - hit: { ${call('/flaky/2/a')} }
      catch:
        errors: { with: { status: 503 } }
        retry: { delay: { milliseconds: 100 }, backoff: { constant: {} }, limit: { attempt: { count: 5 } } }
`);
  expect([status, output]).toEqual(['SUCCESS', { path: '/flaky/2/a', n: 3 }]);
  const keys = api.keysOf('/flaky/2/a');
  expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  const attempts = (await stepsOf(ada, id)).filter(({ name }) => name === 'hit');
  expect(attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 'FAILED'],
    [2, 'FAILED'],
    [3, 'SUCCESS'],
  ]);
});

test('catches an error and goes on with what the flow says', async () => {
  const { output } = await run(`do:
  - tried:
      try: [ { hit: { ${call('/status/404')} } } ]
      catch: { as: problem, do: [ { note: { set: { was: '\${ $problem.status }', code: '\${ $problem.title }' } } } ] }
`);
  expect(output).toEqual({ was: 404, code: 'HTTP_STATUS' });
});

test.each([
  ['a status that is no success', () => call('/status/418'), 'HTTP_STATUS', 418],
  ['a body that is not the JSON it claims to be', () => call('/broken'), 'CONNECTION_FAILED', 500],
  ['an answer over a MiB', () => call('/bytes/2000000'), 'OUTPUT_TOO_LARGE', 500],
  [
    'a target that nobody allowed',
    () => "call: http, with: { method: get, endpoint: 'http://169.254.169.254/latest' }",
    'TARGET_REFUSED',
    400,
  ],
  [
    'an address that is none',
    () => "call: http, with: { method: get, endpoint: 'http://nowhere.invalid/' }",
    'CONNECTION_FAILED',
    500,
  ],
])('fails by %s', async (_what, task, title, status) => {
  const answer = await run(`do:\n  - hit: { ${task()} }\n`);
  expect(answer.status).toBe('FAILED');
  expect(answer.error).toMatchObject({ title, status, instance: '/do/0/hit' });
  const [step] = await stepsOf(ada, answer.id);
  expect(step).toMatchObject({ name: 'hit', status: 'FAILED', output: null });
});

test('fails with the error that the flow raises', async () => {
  const { status, error } = await run(`do:
  - stop: { raise: { error: { type: https://example.com/out-of-tea, status: 418, title: NO_TEA, detail: 'none left' } } }
`);
  expect(status).toBe('FAILED');
  expect(error).toEqual({
    type: 'https://example.com/out-of-tea',
    status: 418,
    title: 'NO_TEA',
    detail: 'none left',
    instance: '/do/0/stop',
  });
});

test("ends FAILED by a task's timeout and TIMED_OUT by the flow's own", async () => {
  const failed = await run(`do:
  - hit: { ${call('/slow/5000')}, timeout: { after: { milliseconds: 200 } } }
`);
  expect([failed.status, failed.error?.title, failed.error?.status]).toEqual([
    'FAILED',
    'TASK_TIMEOUT',
    408,
  ]);
  const timedOut = await run(`timeout: { after: { milliseconds: 300 } }
do:
  - hit: { ${call('/slow/5000')} }
`);
  const timeoutAt = (instance: string) => ({
    status: 'TIMED_OUT',
    error: { title: 'RUN_TIMEOUT', instance },
  });
  expect(timedOut).toMatchObject(timeoutAt('/do/0/hit'));
  const waiting = await run(`timeout: { after: { milliseconds: 300 } }
do:
  - rest: { wait: { minutes: 1 } }
`);
  expect(waiting).toMatchObject(timeoutAt('/do/0/rest'));
});

test('catches a timed out attempt and retries it', async () => {
  const { status, output } = await run(`do:
  - tried:
      try: [ { hit: { ${call('/slow/2000')}, timeout: { after: { milliseconds: 100 } } } } ]
      catch: { errors: { with: { status: 408 } }, do: [ { late: { set: { late: true } } } ] }
`);
  expect([status, output]).toEqual(['SUCCESS', { late: true }]);
});

test('waits as long as it says', async () => {
  const { createdAt, startedAt, completedAt } = await run(`do:
  - rest: { wait: { milliseconds: 700 } }
`);
  const took = Date.parse(completedAt ?? '') - Date.parse(startedAt ?? createdAt);
  expect(took).toBeGreaterThanOrEqual(700);
});

import { e2e } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import type { Person } from '../helpers/people.ts';
import { endOf, getRun, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

const { owner: ada, stranger, workspace } = e2e();

const listenTo = (name: string, ...signals: string[]) =>
  signals
    .map(
      (type, at) => `  - ${name}${at}: { listen: { to: { one: { with: { type: ${type} } } } } }\n`,
    )
    .join('');
const APPROVAL = `do:
${listenTo('approval', 'approve')}  - decided: { set: { by: '\${ $[0].by }', all: '\${ $ }' } }
`;

const start = async (content: string): Promise<number> =>
  (await startRun(ada, await workspace.flow(content))).body.id;
const signal = (
  runId: number,
  name: string,
  options: Parameters<Person['call']>[2] = {},
): Promise<Answer<ProblemBody>> =>
  ada.call('POST', `/flows/runs/${runId}/signals/${name}`, options);
const waiting = (runId: number) =>
  waitFor('the wait', async () => (await getRun(ada, runId)).status === 'WAITING');

test('a run waits for an approval until its own end, and gives the body of the signal', async () => {
  const run = await start(APPROVAL);
  await waiting(run);
  const { wakeAt, startedAt } = await getRun(ada, run);
  expect(Date.parse(wakeAt ?? '') - Date.parse(startedAt ?? '')).toBe(60 * 60 * 1_000);
  expect((await signal(run, 'approve', { body: { by: 'Ada' } })).status).toBe(204);
  const { status, output } = await endOf(ada, run);
  expect([status, output]).toEqual(['SUCCESS', { by: 'Ada', all: [{ by: 'Ada' }] }]);
});

test('signals that come before their listen are kept, one a name, the latest', async () => {
  const run = await start(`do:
  - rest: { wait: { milliseconds: 1500 } }
${listenTo('l', 'one', 'two')}  - all: { set: { all: '\${ [$steps.l0, $steps.l1] }' } }
`);
  await signal(run, 'two', { body: { text: 'second' } });
  await signal(run, 'one', { body: { n: 1 } });
  await signal(run, 'one', { body: { n: 2 } });
  expect((await endOf(ada, run)).output).toEqual({ all: [{ n: 2 }, { text: 'second' }] });
});

test('two listens to one name receive a signal each', async () => {
  const run = await start(`do:
${listenTo('l', 'next', 'next')}  - all: { set: { all: '\${ [$steps.l0, $steps.l1] }' } }
`);
  await signal(run, 'next', { body: { n: 1 } });
  await waitFor('the first', async () => {
    const { body } = await ada.call<{ name: string }[]>('GET', `/flows/runs/${run}/steps`);
    return body.some(({ name }) => name === 'l1');
  });
  await signal(run, 'next', { body: { n: 2 } });
  expect((await endOf(ada, run)).output).toEqual({ all: [{ n: 1 }, { n: 2 }] });
});

test.each([
  ['a list', '[1,{"a":null}]', [1, { a: null }]],
  ['a text', '"yes"', 'yes'],
  ['a number', '0', 0],
  ['null', 'null', null],
  ['a boolean', 'false', false],
])('the body may be %s', async (_what, raw, value) => {
  const run = await start(`do:\n${listenTo('l', 'any')}`);
  const headers = { 'content-type': 'application/json' };
  expect((await signal(run, 'any', { raw, headers })).status).toBe(204);
  expect((await endOf(ada, run)).output).toEqual([value]);
});

test('a signal without a body gives null', async () => {
  const run = await start(`do:\n${listenTo('l', 'any')}`);
  expect((await signal(run, 'any')).status).toBe(204);
  expect((await endOf(ada, run)).output).toEqual([null]);
});

test('a listen with a timeout fails with TASK_TIMEOUT, which the flow can catch', async () => {
  const run = await start(`do:
  - decide:
      try:
        - approval:
            timeout: { after: { milliseconds: 100 } }
            listen: { to: { one: { with: { type: approve } } } }
      catch:
        errors: { with: { title: TASK_TIMEOUT } }
        do:
          - refused: { set: { approved: false } }
`);
  expect(await endOf(ada, run)).toMatchObject({ status: 'SUCCESS', output: { approved: false } });
});

test('a run that listens is cancelled', async () => {
  const run = await start(APPROVAL);
  await waiting(run);
  await ada.call('POST', `/flows/runs/${run}/cancel`);
  expect((await getRun(ada, run)).status).toBe('CANCELLED');
  const { status, body } = await signal(run, 'approve');
  expect([status, body.code]).toEqual([409, 'RUN_ENDED']);
});

test('an execution of a workflow takes signals, and the audit log has an entry of each', async () => {
  const { body: workflow } = await ada.call<{ id: number }>('POST', '/workflow', {
    body: { workspaceId: workspace.id, name: 'approval', description: '' },
  });
  const definition = { listen: { to: { one: { with: { type: 'approve' } } } } };
  await ada.call('PUT', `/workflow/${workflow.id}/steps`, {
    body: { steps: [{ key: 'wait', definition }] },
  });
  const { body: run } = await ada.call<{ id: number }>('POST', `/workflow/${workflow.id}/execute`);
  expect((await signal(run.id, 'approve', { body: { ok: true } })).status).toBe(204);
  expect((await endOf(ada, run.id)).output).toEqual([{ ok: true }]);
  await waitFor('the entry', async () => {
    const query = { operation: 'runs.signal', resourceType: 'run', resourceId: run.id };
    const path = `${workspace.path}/audit-log`;
    return (await ada.call<unknown[]>('GET', path, { query })).body.length === 1;
  });
});

test('a repeated request with its Idempotency-Key posts one signal', async () => {
  const run = await start(`do:\n${listenTo('l', 'next', 'next')}`);
  const headers = { 'idempotency-key': `signal-${run}` };
  for (let at = 0; at < 3; at++) {
    expect((await signal(run, 'next', { body: { n: 1 }, headers })).status).toBe(204);
  }
  await waitFor('the first', async () => {
    const { body } = await ada.call<{ name: string }[]>('GET', `/flows/runs/${run}/steps`);
    return body.some(({ name }) => name === 'l1');
  });
  await signal(run, 'next', { body: { n: 2 } });
  expect((await endOf(ada, run)).output).toEqual([{ n: 2 }]);
});

test('what a run cannot take is refused by name', async () => {
  const run = await start(APPROVAL);
  const bad = await signal(run, 'not%20a%20name');
  expect([bad.status, bad.body.errors?.[0]]).toEqual([
    400,
    expect.objectContaining({ in: 'path', path: 'name' }),
  ]);
  const headers = { 'content-type': 'application/json' };
  expect((await signal(run, 'approve', { raw: '[1,', headers })).status).toBe(400);
  expect((await signal(run, 'approve', { raw: '"\\u0000"', headers })).status).toBe(400);
  expect((await signal(run, 'approve', { body: 'x'.repeat(257 * 1024) })).status).toBe(413);
  const path = `/flows/runs/${run}/signals/approve`;
  expect((await stranger.call('POST', path)).status).toBe(404);
  expect((await ada.call('POST', '/flows/runs/999999999/signals/approve')).status).toBe(404);
});

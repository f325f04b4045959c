import type { Refusable } from '../fixtures/e2e.ts';
import { e2e } from '../fixtures/e2e.ts';
import type { Answer } from '../helpers/http.ts';
import { callKey, endOf, type RunAnswer, runToEnd, startRun, stepsOf } from '../helpers/runs.ts';
import { publishSteps } from '../helpers/workflows.ts';

type Retried = RunAnswer;

const { owner: ada, workspace, api } = e2e();

let places = 0;
/** A part of a path that no other test uses. */
const place = () => `p${places++}`;

const call = (path: string, more?: object) => api.task(path, more);
const fileOf = (...tasks: object[]) => JSON.stringify({ do: tasks });
const flowOf = (...tasks: object[]) => workspace.flow(fileOf(...tasks));
const change = async (flowId: number, ...tasks: object[]) => {
  const answer = await ada.call('PUT', '/flows', { body: { flowId, content: fileOf(...tasks) } });
  expect(answer.status).toBe(200);
};
const retry = (runId: number, body?: object): Promise<Answer<Refusable<Retried>>> =>
  ada.call('POST', `/flows/runs/${runId}/retry`, body ? { body } : {});
async function retryToEnd(runId: number, body?: object): Promise<Retried> {
  const { status, body: run } = await retry(runId, body);
  expect([status, run.retryOf]).toEqual([202, runId]);
  return (await endOf(ada, run.id)) as Retried;
}
const callsOf = (path: string) => api.calls.filter((made) => made.path === path);

test('a retry goes on at the call that failed, with the same key and the same random values', async () => {
  const [first, second] = [`/ok/${place()}`, `/flaky/1/${place()}`];
  const flowId = await flowOf(
    { before: call(first) },
    { pause: { wait: { milliseconds: 1_200 } } },
    { shape: { set: { value: `\${ $random() }`, n: `\${ $steps.before.n }` } } },
    { after: call(second, { body: `\${ { "value": $.value, "random": $random() } }` }) },
    { last: { set: { attempt: `\${ $run.attempt }`, n: `\${ $steps.shape.n }` } } },
  );
  const failed = await runToEnd(ada, flowId, { some: 'input' });
  expect(failed).toMatchObject({ status: 'FAILED', error: { title: 'HTTP_STATUS' } });
  const retried = await retryToEnd(failed.id);
  expect(retried).toMatchObject({
    status: 'SUCCESS',
    input: { some: 'input' },
    output: { attempt: 2, n: 1 },
    versionId: failed.versionId,
  });
  expect(callsOf(first)).toHaveLength(1);
  const [one, two] = callsOf(second);
  expect([two?.key, two?.body]).toEqual([one?.key, one?.body]);
  expect(two?.key).toEqual(callKey(failed.id, '/.*'));
  const steps = await stepsOf(ada, retried.id);
  expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'before SUCCESS',
    'pause SUCCESS',
    'shape SUCCESS',
    'after SUCCESS',
    'last SUCCESS',
  ]);
  const kept = (await stepsOf(ada, failed.id)).slice(0, 2);
  expect(steps.slice(0, 2).map(({ startedAt }) => startedAt)).toEqual(
    kept.map(({ startedAt }) => startedAt),
  );
});

test('a retry from the start runs everything again, with the keys of the first run', async () => {
  const [first, second] = [`/ok/${place()}`, `/flaky/2/${place()}`];
  const flowId = await flowOf({ before: call(first) }, { after: call(second) });
  const failed = await runToEnd(ada, flowId);
  const again = await retryToEnd(failed.id, { from: 'start' });
  expect(again.status).toBe('FAILED');
  const last = await retryToEnd(again.id, { from: 'start' });
  expect(last).toMatchObject({ status: 'SUCCESS', retryOf: again.id });
  expect(new Set(api.keysOf(first)).size).toBe(1);
  expect(callsOf(first)).toHaveLength(3);
  expect(new Set(api.keysOf(second)).size).toBe(1);
});

test('a retry of the latest version reuses the results of the tasks before the first that is different', async () => {
  const [first, second] = [`/ok/${place()}`, `/ok/${place()}`];
  const failing = { last: { raise: { error: { type: 'https://a.test/e', status: 500 } } } };
  const tasks = [{ before: call(first) }, { middle: call(second) }];
  const flowId = await flowOf(...tasks, failing);
  const failed = await runToEnd(ada, flowId);
  expect(failed.error).toMatchObject({ type: 'https://a.test/e' });
  await change(flowId, ...tasks, { last: { set: { fixed: true } } });
  const same = await retryToEnd(failed.id);
  expect([same.status, same.versionId]).toEqual(['FAILED', failed.versionId]);
  const fixed = await retryToEnd(failed.id, { version: 'latest' });
  expect(fixed).toMatchObject({ status: 'SUCCESS', output: { fixed: true } });
  expect(fixed.versionId).not.toBe(failed.versionId);
  expect([callsOf(first).length, callsOf(second).length]).toEqual([1, 1]);
  const [before, middle] = tasks;
  await change(flowId, { ...before }, { added: { set: { n: 1 } } }, { ...middle });
  expect((await retryToEnd(failed.id, { version: 'latest' })).status).toBe('SUCCESS');
  expect([callsOf(first).length, callsOf(second).length]).toEqual([1, 2]);
  await change(flowId, { before: call(first, { body: 'other' }) }, { ...middle });
  expect((await retryToEnd(failed.id, { version: 'latest' })).status).toBe('SUCCESS');
  expect([callsOf(first).length, callsOf(second).length]).toEqual([2, 3]);
});

test('a retry repeats neither the rounds of a loop nor the branches of a fork that have succeeded', async () => {
  const at = place();
  const each = `\${ '${api.url}' & ($.n = 2 ? '/flaky/1/${at}' : '/ok/${at}/' & $.n) }`;
  const rounds = {
    rounds: {
      for: { each: 'n', in: `\${ [1, 2, 3] }` },
      input: { from: `\${ { "n": 1 } }` },
      do: [
        { number: { set: { n: `\${ $n }` } } },
        { hit: { call: 'http', with: { method: 'post', endpoint: each } } },
      ],
    },
  };
  const [left, right] = [`/ok/${place()}`, `/flaky/1/${place()}`];
  const sides = {
    sides: {
      fork: {
        branches: [
          { left: call(left) },
          { right: { do: [{ pause: { wait: { seconds: 1 } } }, { hitRight: call(right) }] } },
        ],
      },
    },
  };
  const failed = await runToEnd(ada, await flowOf(rounds, sides));
  expect(failed.error?.instance).toMatch(/\/hit$/);
  const forked = await retryToEnd(failed.id);
  expect(forked.error?.instance).toMatch(/\/hitRight$/);
  const last = await retryToEnd(forked.id);
  expect(last.status).toBe('SUCCESS');
  const counts = [`/ok/${at}/1`, `/flaky/1/${at}`, `/ok/${at}/3`, left, right];
  expect(counts.map((path) => callsOf(path).length)).toEqual([1, 2, 1, 1, 2]);
});

test('a retry makes the call again whose failure a catch turned into an error of its own', async () => {
  const [first, second] = [`/ok/${place()}`, `/flaky/1/${place()}`];
  const error = { type: 'https://a.test/e', status: 500, title: 'OWN' };
  const flowId = await flowOf({
    all: {
      try: [{ before: call(first) }, { after: call(second) }],
      catch: { do: [{ report: { raise: { error } } }] },
    },
  });
  const failed = await runToEnd(ada, flowId);
  expect(failed.error?.title).toBe('OWN');
  expect((await retryToEnd(failed.id)).status).toBe('SUCCESS');
  expect([callsOf(first).length, callsOf(second).length]).toEqual([1, 2]);
});

test('a run that does other things at its second attempt runs the rest again', async () => {
  const [first, other, second] = [`/ok/${place()}`, `/ok/${place()}`, `/ok/${place()}`];
  const flowId = await flowOf(
    { before: call(first) },
    { extra: { if: `\${ $run.attempt > 1 }`, ...call(other) } },
    { after: call(second) },
    {
      last: {
        if: `\${ $run.attempt = 1 }`,
        raise: { error: { type: 'https://a.test/e', status: 500 } },
      },
    },
  );
  const failed = await runToEnd(ada, flowId);
  const retried = await retryToEnd(failed.id);
  expect(retried.status).toBe('SUCCESS');
  expect([first, other, second].map((path) => callsOf(path).length)).toEqual([1, 1, 2]);
});

test('a retry reuses no result that the run before it has not reused', async () => {
  const [first, other, second] = [`/ok/${place()}`, `/ok/${place()}`, `/ok/${place()}`];
  const flowId = await flowOf(
    { before: call(first) },
    { extra: { if: `\${ $run.attempt > 1 }`, ...call(other) } },
    { pause: { if: `\${ $run.attempt = 2 }`, wait: { hours: 1 } } },
    { after: call(second) },
    {
      last: {
        if: `\${ $run.attempt = 1 }`,
        raise: { error: { type: 'https://a.test/e', status: 500 } },
      },
    },
  );
  const failed = await runToEnd(ada, flowId);
  const { body: waiting } = await retry(failed.id);
  while (!callsOf(other).length) await new Promise((resolve) => setImmediate(resolve));
  await ada.call('POST', `/flows/runs/${waiting.id}/cancel`);
  expect((await endOf(ada, waiting.id)).status).toBe('CANCELLED');
  expect((await retryToEnd(waiting.id)).status).toBe('SUCCESS');
  expect([first, other, second].map((path) => callsOf(path).length)).toEqual([1, 1, 2]);
});

test('a task whose time had passed has its whole time again', async () => {
  const [first, second] = [`/ok/${place()}`, `/hold/${place()}`];
  const flowId = await flowOf({
    timed: {
      timeout: { after: { milliseconds: 1_500 } },
      do: [{ before: call(first) }, { held: call(second) }],
    },
  });
  const failed = await runToEnd(ada, flowId);
  expect(failed.error?.title).toBe('TASK_TIMEOUT');
  const { body } = await retry(failed.id);
  while (callsOf(second).length < 2) await new Promise((resolve) => setImmediate(resolve));
  api.letGo();
  expect((await endOf(ada, body.id)).status).toBe('SUCCESS');
  expect(callsOf(first)).toHaveLength(1);
});

test('a cancelled run goes on where it was cancelled', async () => {
  const first = `/ok/${place()}`;
  const flowId = await flowOf({ before: call(first) }, { pause: { wait: { seconds: 2 } } });
  const { body: run } = await startRun(ada, flowId);
  while (!callsOf(first).length) await new Promise((resolve) => setImmediate(resolve));
  await ada.call('POST', `/flows/runs/${run.id}/cancel`);
  expect((await endOf(ada, run.id)).status).toBe('CANCELLED');
  expect((await retryToEnd(run.id)).status).toBe('SUCCESS');
  expect(callsOf(first).length).toBeLessThanOrEqual(2);
});

test('an execution of a workflow is retried with its own steps, or with the published ones', async () => {
  const path = `/ok/${place()}`;
  const failing = {
    key: 'last',
    definition: { raise: { error: { type: 'https://a.test/e', status: 500 } } },
  };
  const before = { key: 'before', definition: call(path) };
  const id = await workspace.workflow([before, failing]);
  const { body } = await ada.call<RunAnswer>('POST', `/workflow/${id}/execute`);
  const failed = await endOf(ada, body.id);
  await publishSteps(ada, id, [before, { key: 'last', definition: { set: { fixed: true } } }]);
  expect((await retryToEnd(failed.id)).status).toBe('FAILED');
  const fixed = await retryToEnd(failed.id, { version: 'latest' });
  expect(fixed).toMatchObject({ status: 'SUCCESS', workflowId: id, output: { fixed: true } });
  expect(callsOf(path)).toHaveLength(1);
});

test('a live run is not retried, and a key starts one retry', async () => {
  const flowId = await flowOf({ pause: { wait: { hours: 1 } } });
  const { body: run } = await startRun(ada, flowId);
  const refused = await retry(run.id);
  expect([refused.status, refused.body.code]).toEqual([409, 'RUN_NOT_ENDED']);
  await ada.call('POST', `/flows/runs/${run.id}/cancel`);
  await endOf(ada, run.id);
  const send = () =>
    ada.call<Retried>('POST', `/flows/runs/${run.id}/retry`, {
      headers: { 'idempotency-key': `retry-${run.id}` },
    });
  const [one, two] = [await send(), await send()];
  expect([one.status, two.status, two.body.id]).toEqual([202, 202, one.body.id]);
  await ada.call('POST', `/flows/runs/${one.body.id}/cancel`);
});

import { e2e } from '../fixtures/e2e.ts';
import { request } from '../helpers/http.ts';
import { type Person, registerVerified } from '../helpers/people.ts';
import { callKey, getRun, type RunAnswer, runToEnd, startRun, stepsOf } from '../helpers/runs.ts';

const { server, owner: ada, workspace, api } = e2e();

const codes = (body: unknown) =>
  ((body as { errors?: { path: string; in: string }[] }).errors ?? []).map(
    (e) => `${e.in} ${e.path}`,
  );

describe('a run', () => {
  test('of three sets and one call ends with what the call answered', async () => {
    const flowId = await workspace.flow(
      `do:
  - first: { set: { x: 1 } }
  - second: { set: { y: '\${ $.x + 1 }' } }
  - third: { set: { z: '\${ $.y + 1 }' } }
  - call: { call: http, with: { method: get, endpoint: '${api.url}/ok' } }
`,
      'order-sync',
    );
    const { status, body: run } = await startRun(ada, flowId, {
      input: { b: 1, a: 2 },
      wait: 9000,
    });
    expect(status).toBe(200);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(run).toEqual({
      id: expect.any(Number),
      workspaceId: workspace.id,
      flowId,
      flowName: 'order-sync',
      versionId: expect.any(Number),
      configuration: null,
      status: 'SUCCESS',
      input: { b: 1, a: 2 },
      output: { path: '/ok', n: 1 },
      error: null,
      startedBy: { type: 'person', id: ada.id, name: 'Owner Lovelace' },
      retryOf: null,
      createdAt: time,
      startedAt: time,
      wakeAt: null,
      completedAt: time,
    });
    expect(await getRun(ada, run.id)).toEqual(run);
    expect(api.keysOf('/ok')).toEqual([callKey(run.id, '/do/3/call//1')]);

    const steps = await stepsOf(ada, run.id);
    expect(steps.map(({ name, status, output }) => [name, status, output])).toEqual([
      ['first', 'SUCCESS', { x: 1 }],
      ['second', 'SUCCESS', { y: 2 }],
      ['third', 'SUCCESS', { z: 3 }],
      ['call', 'SUCCESS', { path: '/ok', n: 1 }],
    ]);
    const { body: step } = await ada.call('GET', `/flows/runs/${run.id}/steps/${steps[1]?.id}`);
    expect(step).toEqual({
      id: steps[1]?.id,
      path: '/do/1/second',
      name: 'second',
      iteration: '',
      visit: 1,
      attempt: 1,
      status: 'SUCCESS',
      input: { x: 1 },
      output: { y: 2 },
      error: null,
      startedAt: time,
      completedAt: time,
      request: null,
      response: null,
    });
  });

  test('answers 202 at once without wait, and when the end has not come in time', async () => {
    const flowId = await workspace.flow('do:\n  - rest: { wait: { minutes: 5 } }\n');
    const atOnce = await startRun(ada, flowId);
    expect([atOnce.status, atOnce.body.status]).toEqual([202, 'RUNNING']);
    expect(Date.parse(String(atOnce.body.startedAt))).toBeGreaterThanOrEqual(
      Date.parse(atOnce.body.createdAt),
    );
    const later = await startRun(ada, flowId, { wait: 300 });
    expect([later.status, later.body.status]).toEqual([202, 'WAITING']);
    const waited = Date.parse(String(later.body.wakeAt)) - Date.parse(String(later.body.startedAt));
    expect(waited).toBeGreaterThanOrEqual(5 * 60_000);
    expect(waited).toBeLessThan(6 * 60_000);
    const { body: listed } = await ada.call<RunAnswer[]>('GET', `/flows/${flowId}/runs`);
    expect(listed[0]).toEqual(later.body);
  });

  test('keeps its input as given: key order, dollars, depth', async () => {
    const flowId = await workspace.flow(`do:\n  - same: { set: { got: '\${ $input }' } }\n`);
    const deep = Array.from({ length: 25 }).reduce<unknown>((inner) => [inner], 'x');
    const input = { z: 1, $where: { 'a.b': null }, a: [{ $gt: '' }], deep };
    const run = await runToEnd(ada, flowId, input);
    expect(JSON.stringify(run.input)).toBe(JSON.stringify(input));
    expect(run.output).toEqual({ got: input });
  });

  test('has an empty object for its input when none is given, and null when that is', async () => {
    const flowId = await workspace.flow('do:\n  - one: { set: { a: 1 } }\n');
    expect((await runToEnd(ada, flowId)).input).toEqual({});
    expect((await runToEnd(ada, flowId, null)).input).toBeNull();
  });

  test('runs the version named', async () => {
    const flowId = await workspace.flow('do:\n  - one: { set: { v: 1 } }\n');
    const first = await runToEnd(ada, flowId);
    await ada.call('PUT', '/flows', {
      body: { flowId, content: 'do:\n  - one: { set: { v: 2 } }\n' },
    });
    expect((await runToEnd(ada, flowId)).output).toEqual({ v: 2 });
    const { body } = await ada.call<{ output: unknown }>('POST', `/flows/${flowId}/runs`, {
      query: { wait: 9000 },
      body: { versionId: first.versionId },
    });
    expect(body.output).toEqual({ v: 1 });
  });

  test('of a version of another flow is refused, although that version has been run', async () => {
    const [one, other] = await Promise.all(
      [1, 2].map((v) => workspace.flow(`do:\n  - one: { set: { v: ${v} } }\n`)),
    );
    const { versionId } = await runToEnd(ada, other as number);
    const { status, body } = await ada.call('POST', `/flows/${one}/runs`, { body: { versionId } });
    expect([status, codes(body)]).toEqual([400, ['body versionId']]);
  });
});

describe('what is refused', () => {
  let flowId: number;
  beforeAll(async () => {
    flowId = await workspace.flow('do:\n  - one: { set: { a: 1 } }\n');
  });
  const start = (options: Parameters<Person['call']>[2], id: number | string = flowId) =>
    ada.call<{ code: string }>('POST', `/flows/${id}/runs`, options);

  test('starting an unknown flow, or one without a version', async () => {
    expect((await start({}, 999_999)).status).toBe(404);
    const { body } = await ada.call<{ id: number }>('POST', '/flows', {
      body: { workspaceId: workspace.id, name: 'empty' },
    });
    const { status, body: problem } = await start({}, body.id);
    expect([status, problem.code]).toEqual([409, 'FLOW_HAS_NO_VERSION']);
  });

  test('an unknown version, a wait out of bounds, an unknown field, no configuration', async () => {
    const version = await start({ body: { versionId: 999_999 } });
    expect([version.status, codes(version.body)]).toEqual([400, ['body versionId']]);
    const wait = await start({ query: { wait: 30_001 } });
    expect([wait.status, codes(wait.body)]).toEqual([400, ['query wait']]);
    const field = await start({ body: { inputs: 1, configuration: 1.5 } });
    expect(codes(field.body)).toEqual(['body inputs', 'body configuration']);
  });

  test('an input of more than 240 KiB', async () => {
    const { status, body } = await start({ body: { input: 'x'.repeat(240 * 1024) } });
    expect([status, codes(body)]).toEqual([400, ['body input']]);
    const fits = await start({ body: { input: 'x'.repeat(240 * 1024 - 2) } });
    expect(fits.status).toBe(202);
  });

  test("an input that the flow's schema does not take makes no run", async () => {
    const strict =
      await workspace.flow(`input: { schema: { format: json, document: { type: object, required: [since], properties: { since: { type: string } } } } }
do:
  - one: { set: { a: '\${ $input.since }' } }
`);
    const refused = await start({ body: { input: { since: 5 } } }, strict);
    expect([refused.status, refused.body.code]).toEqual([400, 'INPUT_REFUSED']);
    expect(codes(refused.body)).toEqual(['body input.since']);
    const { body: runs } = await ada.call('GET', `/flows/${strict}/runs`);
    expect(runs).toEqual([]);
    expect((await runToEnd(ada, strict, { since: 'now' })).status).toBe('SUCCESS');
  });

  test('everything to strangers, starting and cancelling to guests', async () => {
    const run = await runToEnd(ada, flowId);
    const eve = await registerVerified(server.url, 'Eve');
    const guest = await workspace.member('GUEST');
    const paths: [string, string][] = [
      ['POST', `/flows/${flowId}/runs`],
      ['GET', `/flows/${flowId}/runs`],
      ['GET', `/flows/runs/${run.id}`],
      ['GET', `/flows/runs/${run.id}/steps`],
      ['GET', `/flows/runs/${run.id}/steps/1`],
      ['POST', `/flows/runs/${run.id}/cancel`],
      ['GET', `/flows/stats?workspaceId=${workspace.id}`],
      ['GET', `/flows/recent-runs?workspaceId=${workspace.id}`],
    ];
    for (const [method, path] of paths) {
      expect([path, (await request(server.url, method, path)).status]).toEqual([path, 401]);
      expect([path, (await eve.call(method, path)).status]).toEqual([path, 404]);
      const allowed = method === 'POST' ? 403 : 200;
      expect([path, (await guest.call(method, path)).status]).toEqual([path, allowed]);
    }
  });

  test('unknown runs and steps, and cancelling an ended run', async () => {
    const run = await runToEnd(ada, flowId);
    expect((await ada.call('GET', '/flows/runs/999999')).status).toBe(404);
    expect((await ada.call('GET', '/flows/runs/0')).status).toBe(400);
    expect((await ada.call('GET', `/flows/runs/${run.id}/steps/77`)).status).toBe(404);
    const cancel = await ada.call<{ code: string }>('POST', `/flows/runs/${run.id}/cancel`);
    expect([cancel.status, cancel.body.code]).toEqual([409, 'RUN_ENDED']);
  });
});

describe('lists', () => {
  test('of runs go newest first, page by page', async () => {
    const flowId = await workspace.flow('do:\n  - one: { set: { a: 1 } }\n');
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await runToEnd(ada, flowId)).id);
    const first = await ada.call<{ id: number }[]>('GET', `/flows/${flowId}/runs`, {
      query: { limit: 3 },
    });
    expect(first.body.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const next = /^<(.+)>; rel="next"$/.exec(String(first.headers.link))?.[1] ?? '';
    const second = await ada.call<{ id: number }[]>('GET', next);
    expect(second.body.map(({ id }) => id)).toEqual(ids.slice(3));
    expect(second.headers.link).toBeUndefined();
    const bad = await ada.call('GET', `/flows/${flowId}/runs?after=abc`);
    expect([bad.status, codes(bad.body)]).toEqual([400, ['query after']]);
  });

  test('of steps show at most 4 KiB of a value; the step shows it whole', async () => {
    const flowId = await workspace.flow(`do:
  - load: { call: http, with: { method: get, endpoint: '${api.url}/bytes/100000' } }
  - small: { set: { a: 1 } }
`);
    const run = await runToEnd(ada, flowId);
    const steps = await stepsOf(ada, run.id);
    const [load, small] = steps;
    expect([load?.truncated, small?.truncated]).toEqual([true, true]);
    expect(load?.output).toBe(`"${'x'.repeat(4095)}`);
    expect(small?.output).toEqual({ a: 1 });
    const { body } = await ada.call<{ output: string }>(
      'GET',
      `/flows/runs/${run.id}/steps/${load?.id}`,
    );
    expect(body.output).toBe('x'.repeat(99_998));
  });

  test('of many steps go on page by page, each step once and in order', async () => {
    const flowId = await workspace.flow(`do:
  - many: { for: { in: '\${ [1..150] }' }, do: [ { one: { set: { n: '\${ $item }' } } }, { hit: { call: http, if: '\${ $item % 50 = 0 }', with: { method: get, endpoint: '${api.url}/ok/many' } } } ] }
`);
    const run = await runToEnd(ada, flowId);
    expect(run.error).toBeNull();
    const seen: { id: number; name: string; iteration: string }[] = [];
    for (let path = `/flows/runs/${run.id}/steps?limit=40`; path; ) {
      const page = await ada.call<typeof seen>('GET', path);
      seen.push(...page.body);
      path = /^<(.+)>/.exec(String(page.headers.link ?? ''))?.[1] ?? '';
    }
    expect(seen.length).toBe(301);
    expect(seen.filter(({ name }) => name === 'one').map(({ iteration }) => iteration)).toEqual(
      Array.from({ length: 150 }, (_, n) => String(n)),
    );
    expect(new Set(seen.map(({ id }) => id)).size).toBe(301);
    expect(api.keysOf('/ok/many').length).toBe(3);
  });
});

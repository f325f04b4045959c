import type { Task } from '@workspace-automation/flow-language';
import { Errors } from 'moleculer';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  bearerCall,
  CANARY,
  describedCall,
  onDescribedRuns,
  plainCall,
  sealTold,
  sendJson,
} from './described-calls.ts';
import { endOf, errorOf, newRun, outputOf, storeRun } from './engine.ts';

const runs = onDescribedRuns();
const { server, runTasks, startWorker } = runs;

const rest: Task = { kind: 'wait', name: 'rest', path: '/do/rest', durationMs: 1_100 };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a call through an API description', () => {
  test('is sent as prepared, and its answer shows no secret', async () => {
    server.answer = ({ headers, body }, response) => {
      response.setHeader('x-echo', String(headers.authorization));
      sendJson(response, { [`key ${CANARY}`]: headers.authorization ?? null, body });
    };
    const run = await runTasks([describedCall('ask', { headers: { accept: 'text/x' } })]);
    expect(server.seen).toMatchObject([
      {
        url: '/orders',
        headers: {
          authorization: `Bearer ${CANARY}`,
          accept: 'text/x',
          'idempotency-key': `installation/${run._id}/do/ask//1`,
          traceparent: expect.stringMatching(/^00-/),
        },
        body: '{"order":1}',
      },
    ]);
    expect(outputOf(run)).toMatchObject({
      status: 200,
      headers: { 'x-echo': 'Bearer ***' },
      body: { 'key ***': 'Bearer ***', body: '{"order":1}' },
    });
    expect(JSON.stringify(run)).not.toContain('canary');
    expect(run.journal.find(({ effect }) => effect)?.effect?.credentialId).toBe(5);
  });

  test.each([
    ['own', undefined, { kind: 'own' }],
    ['none', 'none', { kind: 'none' }],
    ['an id', 77, { kind: 'id', id: 77 }],
  ] as const)('with the credential %s asks for that one', async (_, credential, choice) => {
    await runTasks([describedCall('ask', credential === undefined ? {} : { credential })]);
    expect(runs.connections.asked).toEqual([
      { workspaceId: 3, apiDescriptionId: 31, credential: choice, path: {}, query: {} },
    ]);
  });

  test('of a refused token is prepared once more, and sent with the same key', async () => {
    runs.connections.prepare = ({ refusedToken }) => ({
      ...bearerCall(`${server.url}/orders`, refusedToken ? 'second-canary' : CANARY),
      tokenId: refusedToken ? 'token 2' : 'token 1',
    });
    server.answer = ({ headers }, response) => {
      const isNew = headers.authorization === 'Bearer second-canary';
      sendJson(response, `${CANARY} second-canary`, isNew ? 200 : 401);
    };
    const run = await runTasks([describedCall('ask')]);
    expect(
      runs.connections.asked.map(({ credential, refusedToken }) => [credential, refusedToken]),
    ).toEqual([
      [{ kind: 'own' }, undefined],
      [{ kind: 'id', id: 5 }, 'token 1'],
    ]);
    expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(outputOf(run)).toMatchObject({ body: '*** ***' });
  });

  test.each([
    ['again when its new token is refused as well', 'token 2', 2],
    ['once where there is no other token', 'token 1', 1],
  ])('is sent %s', async (_, newToken, requests) => {
    runs.connections.prepare = ({ refusedToken }) => ({
      ...bearerCall(server.url, CANARY),
      tokenId: refusedToken ? newToken : 'token 1',
    });
    server.answer = (_request, response) => sendJson(response, {}, 401);
    const run = await runTasks([describedCall('ask')]);
    expect(errorOf(run)).toMatchObject({ title: 'HTTP_STATUS', status: 401 });
    expect(server.seen).toHaveLength(requests);
  });

  test('may not set a header of its credential', async () => {
    const run = await runTasks([describedCall('ask', { headers: { Authorization: 'mine' } })]);
    expect(errorOf(run)).toMatchObject({
      title: 'EXPRESSION_FAILED',
      detail: expect.stringContaining('authorization'),
    });
    expect(server.seen).toEqual([]);
  });
});

describe('source and destination', () => {
  const pair = { flowId: 301, sourceAuthCredentialId: 8, destinationAuthCredentialId: null };
  const storeOf = (pairs: object[]): Partial<RunDocument> => ({
    configuration: {
      id: 41,
      externalId: 'shop-berlin',
      updatedAt: new Date(0),
      properties: '{}',
      pairs: JSON.stringify(pairs),
    },
  });

  test("are those of the store's pair for the flow", async () => {
    const others = { ...pair, flowId: 302, sourceAuthCredentialId: 9 };
    await runTasks([describedCall('ask', { credential: 'source' })], storeOf([others, pair]));
    expect(runs.connections.asked).toMatchObject([{ credential: { kind: 'id', id: 8 } }]);
  });

  test.each([
    ['a store', 'source', {}],
    ['a pair of the flow', 'source', storeOf([{ ...pair, flowId: 302 }])],
    ['a credential on that side', 'destination', storeOf([pair])],
  ] as const)('without %s are missing', async (_, credential, fields) => {
    const run = await runTasks([describedCall('ask', { credential })], fields);
    expect(errorOf(run)).toMatchObject({ title: 'CONFIGURATION_MISSING', status: 400 });
    expect(runs.connections.asked).toEqual([]);
  });
});

test.each([
  ['REFERENCE_NOT_FOUND', 'REFERENCE_NOT_FOUND', 400],
  ['CREDENTIAL_ORIGIN_REFUSED', 'CREDENTIAL_ORIGIN_REFUSED', 403],
  ['PLACEHOLDERS_INVALID', 'EXPRESSION_FAILED', 400],
  ['TOKEN_REFUSED', 'HTTP_STATUS', 401],
  ['TOKEN_UNAVAILABLE', 'CONNECTION_FAILED', 500],
] as const)('a call that is refused by %s fails with %s', async (code, title, status) => {
  runs.connections.prepare = () => ({ ok: false, code, detail: 'the reason' });
  const run = await runTasks([describedCall('ask')]);
  expect(errorOf(run)).toMatchObject({ title, status, detail: 'the reason', instance: '/do/ask' });
});

describe('later calls of the run', () => {
  const spellings = [
    CANARY,
    base64(`admin:${CANARY}`),
    encodeURIComponent(`a ${CANARY}`),
    JSON.stringify({ nested: CANARY }),
  ];

  test('to any server are masked by the secrets of earlier ones', async () => {
    server.answer = ({ url }, response) => {
      if (url !== '/later') return sendJson(response, {});
      response.setHeader('x-echo', base64(`admin:${CANARY}`));
      sendJson(response, { [CANARY]: spellings });
    };
    const later = plainCall('later', `${server.url}/later`, 'response');
    const run = await runTasks([describedCall('ask'), later]);
    expect(outputOf(run)).toMatchObject({ statusCode: 200, content: { '***': expect.anything() } });
    for (const spelling of [...spellings, CANARY]) {
      expect(JSON.stringify(run)).not.toContain(spelling);
    }
    expect(runs.connections.masked).toEqual([]); // the secrets were known here
  });

  test('in base64 show no secret either', async () => {
    server.answer = (_, response) => response.end(`before ${CANARY} after`);
    const run = await runTasks([describedCall('ask'), plainCall('raw', server.url, 'raw')]);
    expect(Buffer.from(outputOf(run), 'base64').toString()).toBe('before *** after');
  });

  test('after a wait are masked by the secrets that were sent', async () => {
    server.answer = (_, response) => sendJson(response, `it is ${CANARY}`);
    const run = await runTasks([describedCall('ask'), rest, plainCall('later', server.url)]);
    expect(outputOf(run)).toBe('it is ***');
    const sealed = [{ credentialId: 5, sealed: sealTold(5, [CANARY]) }];
    expect([runs.connections.opened, runs.connections.masked]).toEqual([[sealed], []]);
  });

  test('of a run without a credential ask nobody and change nothing', async () => {
    server.answer = (_, response) => sendJson(response, CANARY);
    const run = await runTasks([plainCall('first', server.url), rest, plainCall('a', server.url)]);
    expect(outputOf(run)).toBe(CANARY);
    expect(runs.connections).toMatchObject({ asked: [], opened: [], masked: [] });
  });
});

test.each([
  ['to another origin', 'localhost', `?q=${CANARY}`, 'TARGET_REFUSED'],
  ['within its origin', '127.0.0.1', `?q=${CANARY}`, undefined],
])('a redirection %s with the secret', async (_, host, query, title) => {
  const { port } = new URL(server.url);
  server.answer = ({ url }, response) => {
    if (url !== '/orders') return sendJson(response, {});
    response.writeHead(303, { location: `http://${host}:${port}/next${query}` }).end();
  };
  const run = await runTasks([describedCall('ask')]);
  expect(errorOf(run)?.title).toBe(title);
  expect(server.seen.map(({ url }) => url)).toEqual(
    title ? ['/orders'] : ['/orders', `/next${query}`],
  );
  expect(JSON.stringify(run)).not.toContain(CANARY);
});

describe('an outage of the service connections', () => {
  const outages: [string, () => Error][] = [
    ['503', () => new Problem(Unavailable, 'away')],
    ['no process', () => new Errors.ServiceNotFoundError({ action: 'connections.prepareCall' })],
    ['no answer', () => new Errors.RequestTimeoutError({ action: 'connections.prepareCall' })],
  ];

  test.each(outages)('by %s postpones the run', async (_, makeError) => {
    runs.connections.prepare = () => {
      if (runs.connections.asked.length === 1) throw makeError();
      return bearerCall(server.url, CANARY);
    };
    const run = await runTasks([describedCall('ask')]);
    expect([run.status, runs.connections.asked.length]).toEqual(['SUCCESS', 2]);
    expect(server.seen).toHaveLength(1);
  });

  test('comes before a later call that could not be masked', async () => {
    const { connections } = runs;
    const { openSecrets } = connections;
    runs.connections.openSecrets = async (params) => {
      const answer = await openSecrets(params);
      if (runs.connections.opened.length === 1) throw new Problem(Unavailable, 'away');
      expect(server.seen).toHaveLength(1); // the call was not sent without its mask
      return answer;
    };
    server.answer = (_, response) => sendJson(response, CANARY);
    const run = await runTasks([describedCall('ask'), rest, plainCall('later', server.url)]);
    expect(outputOf(run)).toBe('***');
  });
});

test('a preparation that takes longer than the run ends with the run', async () => {
  runs.connections.prepare = () => new Promise(() => undefined);
  const run = await runTasks([describedCall('ask')], { timeoutMs: 300 });
  expect([run.status, errorOf(run).title]).toEqual(['TIMED_OUT', 'RUN_TIMEOUT']);
});

test('a preparation is given up when the run is cancelled', async () => {
  runs.connections.prepare = () => new Promise(() => undefined);
  const run = newRun();
  const worker = await startWorker([describedCall('ask')]);
  await worker.store(run, storeRun);
  await waitFor('the question', () => runs.connections.asked.length === 1);
  worker.cancel(run._id);
  await endOf(run, 'CANCELLED');
});

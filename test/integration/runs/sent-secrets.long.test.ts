import type { ServerResponse } from 'node:http';
import type { Plan, Task } from '@workspace-automation/flow-language';
import type { JournalEntry } from '../../../models/journal-entry.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { RunStepModel, runStepIds } from '../../../models/run-step.model.ts';
import type { RunWorker } from '../../../services/runs/engine/worker.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  bearerCall,
  describedCall,
  plainCall,
  planOf,
  type SeenRequest,
  sealTold,
  sendJson,
  ToldConnections,
  useCalledServer,
} from './described-calls.ts';
import { newRun, onRunsDatabase, runOf, storeRun, workerOf } from './engine.ts';

const { started } = onRunsDatabase();
const server = useCalledServer();

/** The secret that the first worker sends, and the secret that the credential has afterwards. */
const OLD = 'old-canary-4711';
const NEW = 'new-canary-4712';

let connections: ToldConnections;
/** The requests that got no answer yet. */
let held: ServerResponse[];
beforeEach(() => {
  connections = new ToldConnections();
  connections.prepare = () => bearerCall(`${server.url}/orders`, OLD);
  held = [];
});
afterEach(() => {
  for (const response of held) response.destroy();
});

const startWorker = (plan: Plan): Promise<RunWorker> =>
  started(workerOf({ plan, outbound: server.client, connections }));
const restFor = (durationMs: number, name = 'rest'): Task => ({
  kind: 'wait',
  name,
  path: `/do/${name}`,
  durationMs,
});

/** Runs a plan to its end. */
async function runPlan(plan: Plan, fields: Partial<RunDocument> = {}): Promise<RunDocument> {
  const run = newRun({ workspaceId: 3, flowId: 301, ...fields });
  const worker = await startWorker(plan);
  await worker.store(run, storeRun);
  return endOf(run._id);
}

async function endOf(id: number): Promise<RunDocument> {
  await waitFor('the end of the run', async () => !(await runOf(id)).live, 20_000);
  return runOf(id);
}

/** All entries of a run's journal, those that were moved to rows of their own first. */
async function journalOf(id: number): Promise<JournalEntry[]> {
  const { journal } = await runOf(id);
  const moved = await RunStepModel.find({ _id: runStepIds(id) })
    .sort({ _id: 1 })
    .lean<JournalEntry[]>();
  return [...moved, ...journal];
}

const sentOf = (entries: readonly JournalEntry[]) =>
  entries.flatMap(({ sentSecrets }) => sentSecrets ?? []);
const sentWith = (secret: string, credentialId = 5) => ({
  credentialId,
  sealed: sealTold(credentialId, [secret]),
});
const outputOf = ({ output }: RunDocument) => JSON.parse(output ?? 'null');
const errorOf = ({ error }: RunDocument) => JSON.parse(error ?? 'null');

/** Answers `/later` with everything that the server was sent, as a server that logs requests does. */
function logRequests({ url }: SeenRequest, response: ServerResponse): void {
  const log = server.seen.map(({ headers }) => headers.authorization ?? '');
  sendJson(response, url === '/later' ? log : {});
}

const laterCall = (): Task => plainCall('later', `${server.url}/later`);

describe('the journal', () => {
  test('has the secrets before a request contains them', async () => {
    let atRequest: Promise<JournalEntry[]> | null = null;
    const run = newRun({ workspaceId: 3 });
    server.answer = (_, response) => {
      atRequest = journalOf(run._id);
      atRequest.finally(() => sendJson(response, {}));
    };
    const worker = await startWorker(planOf(describedCall('ask')));
    await worker.store(run, storeRun);
    await endOf(run._id);
    expect(await atRequest).toMatchObject([{ key: '/do/ask//1/1', sentSecrets: sentWith(OLD) }]);
  });

  test('has each version of a secret once, whatever the number of calls', async () => {
    let calls = 0;
    connections.prepare = () => {
      calls++;
      return bearerCall(server.url, calls > 30 ? NEW : OLD);
    };
    const tasks = Array.from({ length: 60 }, (_, at) => describedCall(`call${at}`));
    const run = await runPlan(planOf(...tasks));
    const entries = await journalOf(run._id);
    expect(entries.filter(({ effect }) => effect)).toHaveLength(60);
    expect(sentOf(entries)).toEqual([sentWith(OLD), sentWith(NEW)]);
  });

  test('has the refused token and the token after it', async () => {
    connections.prepare = ({ refusedToken }) => ({
      ...bearerCall(server.url, refusedToken ? NEW : OLD),
      tokenId: refusedToken ? 'token 2' : 'token 1',
    });
    server.answer = ({ headers }, response) =>
      sendJson(response, {}, headers.authorization === `Bearer ${NEW}` ? 200 : 401);
    const run = await runPlan(planOf(describedCall('ask'), restFor(20), describedCall('again')));
    expect(sentOf(await journalOf(run._id))).toEqual([sentWith(OLD), sentWith(NEW)]);
  });

  test('counts their bytes', async () => {
    const secret = 'x'.repeat(4_000);
    connections.prepare = () => bearerCall(server.url, secret);
    const run = await runPlan(planOf(describedCall('ask')));
    expect(run.journalBytes).toBeGreaterThan(sentWith(secret).sealed.length);
  });
});

describe('after a wait', () => {
  test('a secret that was changed is masked, beside the new one', async () => {
    server.answer = logRequests;
    connections.prepare = () => bearerCall(server.url, server.seen.length === 0 ? OLD : NEW);
    const plan = planOf(
      describedCall('ask'),
      restFor(1_100),
      describedCall('again'),
      restFor(1_100, 'second rest'),
      laterCall(),
    );
    const run = await runPlan(plan);
    expect(outputOf(run)).toEqual(['Bearer ***', 'Bearer ***', '']);
    expect(connections.opened).toEqual([[sentWith(OLD)], [sentWith(OLD), sentWith(NEW)]]);
  });

  test('secrets of a journal that was moved out of the run are masked', async () => {
    server.answer = logRequests;
    const calls = Array.from({ length: 40 }, (_, at) => describedCall(`call${at}`));
    connections.prepare = () => bearerCall(server.url, server.seen.length === 0 ? OLD : NEW);
    const run = await runPlan(planOf(...calls, restFor(1_100), laterCall()));
    expect(run.moved).toBeGreaterThan(0);
    expect(new Set(outputOf(run))).toEqual(new Set(['Bearer ***', '']));
  });

  /** A run whose earlier worker has made the call `ask`, with these secrets in its journal. */
  const runAfterCall = (sentSecrets?: JournalEntry['sentSecrets']): Partial<RunDocument> => {
    const key = '/do/ask//1/1';
    const json = '{"status":200,"headers":{},"body":null}';
    const effect = { kind: 'succeeded', json, completedAt: Date.now(), credentialId: 5 } as const;
    const sent = sentSecrets ? [{ n: 1, key, sentSecrets }] : [];
    const journal = [...sent, { n: sent.length + 1, key, effect }];
    return { journal, entries: journal.length };
  };

  test('a run whose secrets do not open ends without another call, though it catches failures', async () => {
    const careful: Task = {
      kind: 'try',
      name: 'careful',
      path: '/do/careful',
      tasks: [laterCall()],
      catch: { as: 'error', tasks: [] },
    };
    const foreign = { credentialId: 5, sealed: sealTold(6, [OLD]) };
    const ended = await runPlan(planOf(describedCall('ask'), careful), runAfterCall(foreign));
    expect([ended.status, errorOf(ended)]).toMatchObject([
      'FAILED',
      { title: 'SECRETS_UNKNOWN', instance: '/do/careful' },
    ]);
    expect(connections.opened).toEqual([[foreign]]);
    expect(server.seen).toEqual([]);
  });

  test('a run of an older version asks for the present secrets of its credentials', async () => {
    server.answer = (_, response) => sendJson(response, OLD);
    connections.secrets = { 5: [OLD] };
    const ended = await runPlan(planOf(describedCall('ask'), laterCall()), runAfterCall());
    expect(outputOf(ended)).toBe('***');
    expect([connections.opened, connections.masked]).toEqual([[], [[5]]]);
  });
});

test('a worker that goes on in place of one that was lost masks what that one had sent', async () => {
  const plan = planOf(describedCall('ask'), laterCall());
  server.answer = (request, response) => {
    if (request.headers.authorization === `Bearer ${OLD}`) held.push(response);
    else logRequests(request, response);
  };
  const run = newRun({ workspaceId: 3 });
  const first = await startWorker(plan);
  await first.store(run, storeRun);
  await waitFor('the call', () => held.length === 1);
  // The first worker's lease is lost, and the secret is changed, before the call has an answer.
  await RunModel.updateOne(
    { _id: run._id },
    { $set: { ready: true }, $unset: { worker: 1 }, $inc: { fence: 1 } },
  );
  connections.prepare = () => bearerCall(`${server.url}/orders`, NEW);
  await startWorker(plan);
  expect(outputOf(await endOf(run._id))).toEqual(['Bearer ***', 'Bearer ***', '']);
});

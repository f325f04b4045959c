import type { ServerResponse } from 'node:http';
import type { Task } from '@workspace-automation/flow-language';
import type { JournalEntry } from '../../../models/journal-entry.ts';
import type { RunDocument } from '../../../models/run.model.ts';
import { RunStepModel, runStepIds } from '../../../models/run-step.model.ts';
import {
  bearerCall,
  describedCall,
  onDescribedRuns,
  plainCall,
  type SeenRequest,
  sealTold,
  sendJson,
} from './described-calls.ts';
import { endOf, errorOf, newRun, outputOf, runOf, storeRun } from './engine.ts';

const runs = onDescribedRuns();
const { server, runTasks, startWorker } = runs;

/** The secret that the first worker sends, and the secret that the credential has afterwards. */
const OLD = 'old-canary-4711';
const NEW = 'new-canary-4712';

beforeEach(() => {
  runs.connections.prepare = () => bearerCall(`${server.url}/orders`, OLD);
});

const restFor = (durationMs: number, name = 'rest'): Task => ({
  kind: 'wait',
  name,
  path: `/do/${name}`,
  durationMs,
});

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
    const worker = await startWorker([describedCall('ask')]);
    await worker.store(run, storeRun);
    await endOf(run);
    expect(await atRequest).toMatchObject([{ key: '/do/ask//1/1', sentSecrets: sentWith(OLD) }]);
  });

  test('has each version of a secret once, whatever the number of calls', async () => {
    let calls = 0;
    runs.connections.prepare = () => {
      calls++;
      return bearerCall(server.url, calls > 30 ? NEW : OLD);
    };
    const tasks = Array.from({ length: 60 }, (_, at) => describedCall(`call${at}`));
    const run = await runTasks(tasks);
    const entries = await journalOf(run._id);
    expect(entries.filter(({ effect }) => effect)).toHaveLength(60);
    expect(sentOf(entries)).toEqual([sentWith(OLD), sentWith(NEW)]);
  });

  test('has the refused token and the token after it', async () => {
    runs.connections.prepare = ({ refusedToken }) => ({
      ...bearerCall(server.url, refusedToken ? NEW : OLD),
      tokenId: refusedToken ? 'token 2' : 'token 1',
    });
    server.answer = ({ headers }, response) =>
      sendJson(response, {}, headers.authorization === `Bearer ${NEW}` ? 200 : 401);
    const run = await runTasks([describedCall('ask'), restFor(20), describedCall('again')]);
    expect(sentOf(await journalOf(run._id))).toEqual([sentWith(OLD), sentWith(NEW)]);
  });

  test('counts their bytes', async () => {
    const secret = 'x'.repeat(4_000);
    runs.connections.prepare = () => bearerCall(server.url, secret);
    const run = await runTasks([describedCall('ask')]);
    expect(run.journalBytes).toBeGreaterThan(sentWith(secret).sealed.length);
  });
});

describe('after a wait', () => {
  test('a secret that was changed is masked, beside the new one', async () => {
    server.answer = logRequests;
    runs.connections.prepare = () => bearerCall(server.url, server.seen.length === 0 ? OLD : NEW);
    const run = await runTasks([
      describedCall('ask'),
      restFor(1_100),
      describedCall('again'),
      restFor(1_100, 'second rest'),
      laterCall(),
    ]);
    expect(outputOf(run)).toEqual(['Bearer ***', 'Bearer ***', '']);
    expect(runs.connections.opened).toEqual([[sentWith(OLD)], [sentWith(OLD), sentWith(NEW)]]);
  });

  test('secrets of a journal that was moved out of the run are masked', async () => {
    server.answer = logRequests;
    const calls = Array.from({ length: 40 }, (_, at) => describedCall(`call${at}`));
    runs.connections.prepare = () => bearerCall(server.url, server.seen.length === 0 ? OLD : NEW);
    const run = await runTasks([...calls, restFor(1_100), laterCall()]);
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
    const ended = await runTasks([describedCall('ask'), careful], runAfterCall(foreign));
    expect([ended.status, errorOf(ended)]).toMatchObject([
      'FAILED',
      { title: 'SECRETS_UNKNOWN', instance: '/do/careful' },
    ]);
    expect(runs.connections.opened).toEqual([[foreign]]);
    expect(server.seen).toEqual([]);
  });

  test('a run of an older version asks for the present secrets of its credentials', async () => {
    server.answer = (_, response) => sendJson(response, OLD);
    runs.connections.secrets = { 5: [OLD] };
    const ended = await runTasks([describedCall('ask'), laterCall()], runAfterCall());
    expect(outputOf(ended)).toBe('***');
    expect([runs.connections.opened, runs.connections.masked]).toEqual([[], [[5]]]);
  });
});

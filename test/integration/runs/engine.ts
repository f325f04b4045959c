import type { Evaluator, Json, Plan, Task, Template } from '@workspace-automation/flow-language';
import type { OutboundClient, OutboundRequest } from '@workspace-automation/outbound-http';
import { pino } from 'pino';
import { BulkJobModel } from '../../../models/bulk-job.model.ts';
import { RollupModel } from '../../../models/rollup.model.ts';
import { type RunDocument, RunModel } from '../../../models/run.model.ts';
import { hasEnded } from '../../../models/run-status.ts';
import { RunStepModel } from '../../../models/run-step.model.ts';
import { WorkerModel } from '../../../models/worker.model.ts';
import { AnswerQueue } from '../../../services/runs/engine/execution/effects/answer-queue.ts';
import { CallQueue } from '../../../services/runs/engine/execution/effects/call-queue.ts';
import type { ConnectionsCalls } from '../../../services/runs/engine/execution/effects/effect.ts';
import type { ExecutionTools } from '../../../services/runs/engine/execution/execute-run.ts';
import { Job } from '../../../services/runs/engine/execution/job.ts';
import type { ChildrenCalls } from '../../../services/runs/engine/execution/job-children.ts';
import { LeasedRun } from '../../../services/runs/engine/lease/leased-run.ts';
import {
  type NotificationListeners,
  notifyRun,
} from '../../../services/runs/engine/mailbox/notify-run.ts';
import { RunWorker, type WorkerOptions } from '../../../services/runs/engine/worker.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { hashOf } from '../../../support/hash.ts';
import { useDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';

/** The collections of runs. */
export const RUN_MODELS = [BulkJobModel, RunModel, RunStepModel, RollupModel, WorkerModel];

export interface RunsFixture {
  /** Starts a worker, which stops after its test. */
  started(worker: RunWorker): Promise<RunWorker>;
  /** A call without an answer until `answerCalls` or the end of the test. */
  hang(): Promise<void>;
  /** The number of hanging calls. */
  readonly hanging: number;
  answerCalls(): void;
}

/** The database of a test file, empty before each test. */
export function onRunsDatabase(): RunsFixture {
  const workers: RunWorker[] = [];
  const calls: (() => void)[] = [];
  const answerCalls = () => {
    for (const answer of calls.splice(0)) answer();
  };
  useDatabase(RUN_MODELS);
  beforeEach(emptyRuns);
  afterEach(async () => {
    const stopping = workers.splice(0).map((worker) => worker.stop());
    answerCalls(); // a worker that stops waits for them
    await Promise.all(stopping);
  });
  return {
    hang: () => new Promise((resolve) => calls.push(resolve)),
    answerCalls,
    get hanging() {
      return calls.length;
    },
    async started(worker) {
      workers.push(worker);
      await worker.start();
      return worker;
    },
  };
}

export async function emptyRuns(): Promise<void> {
  await Promise.all(RUN_MODELS.map((model) => model.collection.deleteMany()));
}

/** Of a workspace of the owner's, the only one unless given. */
export const shareOf = (owner: number, workspaceId = owner): Share => ({
  owner: `person:${owner}`,
  tenant: `workspace:${workspaceId}`,
});

let lastId = 0;
/**
 * A run that is yet to be stored, queued unless given. A live run is ready unless it has a worker, or waits for a time,
 * a notification or a permit.
 */
export function newRun(fields: Partial<RunDocument> = {}): RunDocument {
  lastId += 1;
  const { status = 'QUEUED', worker, wakeAt, awaits, permitRequestedAt } = fields;
  const isReady = !hasEnded(status) && !(worker ?? wakeAt ?? awaits ?? permitRequestedAt);
  return {
    _id: lastId,
    workspaceId: 1,
    flowId: 1,
    flowName: 'flow',
    versionId: 1,
    status,
    input: '{}',
    output: null,
    error: null,
    startedBy: { type: 'system', id: null, name: 'test' },
    timeoutMs: 60_000,
    createdAt: new Date(Date.now() + lastId), // in the order of the test, whatever the clock's grain
    ...(hasEnded(status) ? { completedAt: new Date() } : { live: true }),
    ...(isReady && { ready: true }),
    shareOwner: `person:${fields.workspaceId ?? 1}`,
    fence: 0,
    journal: [],
    entries: 0,
    moved: 0,
    keptBytes: 0,
    uncounted: true,
    ...fields,
  };
}

/** A child run that is yet to be stored, which the task at the key has started. */
export const newChild = (
  runId: number,
  fields: Partial<RunDocument> = {},
  key = '/do/0/child//1/1',
): RunDocument => newRun({ isChild: true, parent: { runId, key, depth: 1 }, ...fields });

/** An execution of a workflow that is yet to be stored, queued unless given. */
export function newExecution(
  fields: Partial<RunDocument> = {},
  { workflowId = 1, content = '{"do":[]}' }: { workflowId?: number; content?: string } = {},
): RunDocument {
  const { flowId, flowName, versionId, ...run } = newRun(fields);
  const contentHash = hashOf(content);
  const execution = { workflowId, workflowName: 'workflow', revision: 1, content, contentHash };
  return { ...run, execution };
}

export async function storeRun(run: RunDocument): Promise<void> {
  await RunModel.insertMany([run], { lean: true });
}

/** A run in the database, queued unless given. */
export async function queueRun(fields: Partial<RunDocument> = {}): Promise<RunDocument> {
  const run = newRun(fields);
  await storeRun(run);
  return run;
}

/** The fields of a run that began at the time, and the time limits of whose tasks began then as well. */
export const begunAt = (at: Date, ...paths: string[]): Partial<RunDocument> => ({
  startedAt: at,
  entries: paths.length,
  journal: paths.map((path, index) => ({
    n: index + 1,
    key: `${path}//1/1#begun`,
    effect: { kind: 'succeeded', json: 'null', completedAt: at.getTime() },
  })),
});

export const runOf = (id: number): Promise<RunDocument> =>
  RunModel.findById(id).orFail().lean<RunDocument>();

/** Queued runs that are yet to be stored. */
export const newRuns = (count: number): RunDocument[] =>
  Array.from({ length: count }, () => newRun());

/** The fields of a run that the worker `me` has claimed. */
export const CLAIMED = { status: 'RUNNING', worker: 'me', fence: 1 } as const;

/** Stores a run that a worker has claimed. */
export async function storeClaimed(run: RunDocument): Promise<LeasedRun> {
  await storeRun(run);
  return new LeasedRun(await runOf(run._id), run.worker ?? '', new AbortController().signal);
}

/** A run as a worker has claimed it. */
export const claimedRun = (): Promise<LeasedRun> => storeClaimed(newRun(CLAIMED));

/** A job of the worker `me`, whose run is claimed by `me` unless the fields say otherwise. */
export async function claimedJob(
  fields: Partial<RunDocument> = {},
  counts: () => boolean = () => true,
): Promise<Job> {
  const run = await queueRun({ ...CLAIMED, fence: 0, startedAt: new Date(), ...fields });
  return new Job(await runOf(run._id), 'me', counts);
}

/** A batch of one entry, the first of its journal. */
export const batchOf = (key: string) => ({
  entries: [{ n: 1, key }],
  from: 0,
  keptBytes: 0,
  journalBytes: 0,
});

export const literal = (value: Json): Template => ({ kind: 'literal', value });
const endpoint = (path: string) =>
  ({ kind: 'uri-template', template: `http://x.test${path}` }) as const;

/** A plan of calls, one after another. */
export const callsTo = (...paths: string[]): Plan => ({
  document: { dsl: '1.0.0', namespace: 'workspace', name: 'flow', version: '1.0.0' },
  tasks: paths.map(
    (path, at): Task => ({
      kind: 'call-http',
      name: `call${at}`,
      path: `/do/${at}/call${at}`,
      method: 'GET',
      endpoint: endpoint(path),
      output: 'content',
    }),
  ),
});

export const planOf = (...tasks: Task[]): Plan => ({ ...callsTo(), tasks });

export const waitOf = (ms: number): Plan => ({
  ...callsTo(),
  tasks: [
    { kind: 'wait', name: 'rest', path: '/do/0/rest', durationMs: ms },
    { kind: 'set', name: 'done', path: '/do/1/done', value: literal('done') },
  ],
});

export type Send = (request: OutboundRequest) => Promise<unknown>;

/** A client that asks `send` for the JSON of each answer. */
export const clientOf = (send: Send): OutboundClient => ({
  async send(request) {
    const value = await send(request);
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(value ?? null)),
      truncated: false,
      url: request.url,
    };
  },
  close: async () => undefined,
});

/** Rejects a call of what a test does without. */
const refuse = (what: string) => () => Promise.reject(new Error(`there are no ${what} here`));

/** The service `connections` in tests whose flows use no credentials. */
const noConnections: ConnectionsCalls = {
  prepareCall: refuse('API descriptions'),
  openSecrets: refuse('credentials'),
  secretsToMask: refuse('credentials'),
};

/** The handler of errors in tests that expect none. */
export const onError = (error: unknown) => {
  throw error;
};
const ignore = () => undefined;
/** The listeners of cancels in tests that need not hear of them. */
export const silentListeners = { onEnded: ignore, onRequested: ignore };
/** Notifies the run. Resolves with the listener that is called; null where there is no such run. */
export async function notify(runId: number, topic: string): Promise<string | null> {
  let called: string | null = null;
  const listen = (name: keyof NotificationListeners) => () => {
    called = name;
  };
  await notifyRun(
    { runId, topic },
    {
      onReady: listen('onReady'),
      onPermitRequested: listen('onPermitRequested'),
      onNotified: listen('onNotified'),
    },
  );
  return called;
}
/** The listeners of notifications in tests that need not hear of them. */
export const silentNotifications = {
  onReady: ignore,
  onPermitRequested: ignore,
  onNotified: ignore,
};

export const noChildren: ChildrenCalls = {
  start: refuse('child runs'),
  cancel: refuse('child runs'),
  findAbandoned: refuse('child runs'),
  onError,
};

/** The other services, in tests whose flows ask none of them. */
const noServices = {
  connections: noConnections,
  issues: { raise: refuse('issues') },
  assistant: { answerPrompt: refuse('assistants') },
  children: noChildren,
};

const silent = pino({ level: 'silent' });

/** The evaluator in tests whose flows have no expressions. */
export const noEvaluator: Evaluator = {
  evaluate: refuse('expressions'),
  test: refuse('expressions'),
};

/** What a test gives: a plan, answers of its calls, and tools instead of those that are made up. */
type Given<Tools> = Partial<Tools> & { plan?: Plan; send?: Send };

/** Tools of an execution, those that are not given made up. A plan that is not given cannot be compiled. */
export const toolsOf = ({
  plan,
  send = async () => null,
  ...tools
}: Given<ExecutionTools>): ExecutionTools => ({
  calls: new CallQueue(),
  answers: new AnswerQueue(),
  evaluator: noEvaluator,
  outbound: clientOf(send),
  ...noServices,
  installation: () => 'installation',
  planOf: async () => plan ?? null,
  isSafelyHeld: () => false,
  logger: silent,
  ...tools,
});

/** A worker on the database of this file, with everything around it that is not given made up. */
export const workerOf = (options: Given<WorkerOptions>): RunWorker =>
  new RunWorker({
    sweepFamilies: async () => undefined,
    concurrency: 4,
    workspaceConcurrency: 100,
    levelOf: () => 0,
    isCrowding: () => false,
    isPaced: () => false,
    charge: () => undefined,
    announceReady: () => undefined,
    announceEnd: () => undefined,
    ...toolsOf(options),
  });

/** Waits for the end of a run, which has to be with the status, if one is given. */
export async function endOf(
  { _id }: Pick<RunDocument, '_id'>,
  status?: RunDocument['status'],
): Promise<RunDocument> {
  const run = await waitFor('the end', async () => {
    const now = await runOf(_id);
    return now.live ? null : now;
  });
  if (status) expect(run.status).toBe(status);
  return run;
}

export const outputOf = ({ output }: RunDocument) => JSON.parse(output ?? 'null');
export const errorOf = ({ error }: RunDocument) => JSON.parse(error ?? 'null');

/** A call without an answer, which its signal interrupts. */
export const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

/**
 * Lets one worker execute a queued run up to its call to `/held`, and another one from there to its end. Returns the
 * paths of all calls. `between` comes when the first worker has left.
 */
export async function handOver(
  run: RunDocument,
  first: Given<WorkerOptions>,
  second: Given<WorkerOptions> = first,
  between: () => unknown = () => undefined,
): Promise<string[]> {
  const sent: string[] = [];
  let isHolding = true;
  const send: Send = ({ url, signal }) => {
    const { pathname } = new URL(url);
    sent.push(pathname);
    return isHolding && pathname === '/held' ? untilAborted(signal) : Promise.resolve(pathname);
  };
  const leaving = workerOf({ ...first, send });
  await leaving.start();
  await waitFor('the call that is held', () => sent.includes('/held'));
  await leaving.stop();
  await between();
  isHolding = false;
  const worker = workerOf({ ...second, send });
  await worker.start();
  await endOf(run).finally(() => worker.stop());
  return sent;
}

import { NotFound, noWorkspace, Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import {
  type RunDocument,
  RunModel,
  SINGLETON_INDEX,
  START_KEY_INDEX,
} from '../../../models/run.model.ts';
import type { Actions, Params } from '../../contracts.ts';
import type { Engine } from '../engine/engine.ts';
import type { RunStarter } from './run-starter.ts';

type Start = Params<'runs.startTriggered'>;
type Outcome = Actions['runs.startTriggered']['result'];

interface StartTools {
  starter: Pick<RunStarter, 'startFlow'>;
  engine: Pick<Engine, 'flows' | 'ask'>;
  traceparent: string | undefined;
}

/**
 * Starts a run for a trigger. A unique index decides which of several starts with one key makes the run, and all of
 * them answer that run. Another one decides which of several starts makes the live run of a trigger that skips overlaps:
 * a repeated start may arrive after a start of a later occurrence. Throws 404 for a flow or a workspace that is gone.
 */
export async function startTriggered(
  start: Start,
  change: ChangeContext,
  tools: StartTools,
): Promise<Outcome> {
  const { startKey, skipsOverlap } = start;
  const earlier = await findStarted(startKey);
  if (earlier) return started(earlier);
  if (isTooLate(start)) return { outcome: 'TOO_LATE' };
  if (skipsOverlap && (await hasLiveRun(triggerOf(startKey)))) return { outcome: 'OVERLAPPED' };
  try {
    return started(await storeRun(start, change, tools));
  } catch (error) {
    const isOverlapped = isDuplicateKey(error, SINGLETON_INDEX);
    if (!isOverlapped && !isDuplicateKey(error, START_KEY_INDEX)) throw error;
    const stored = await findStarted(startKey);
    if (stored) return started(stored);
    if (isOverlapped) return { outcome: 'OVERLAPPED' };
    throw error;
  }
}

type StartedRun = Pick<RunDocument, '_id' | 'createdAt'>;

const started = ({ _id: runId, createdAt }: StartedRun): Outcome => ({
  outcome: 'STARTED',
  runId,
  createdAt: createdAt.toISOString(),
});

async function storeRun(
  { workspaceId, flowId, startKey, skipsOverlap, startedBy, input, configuration }: Start,
  change: ChangeContext,
  { starter, engine, traceparent }: StartTools,
): Promise<StartedRun> {
  const [version, { exists }] = await Promise.all([
    engine.flows.findVersion(flowId, {}),
    engine.ask('workspaces.exists', { workspaceId }),
  ]);
  if (!exists) throw noWorkspace(workspaceId);
  if (version?.workspaceId !== workspaceId) {
    throw new Problem(NotFound, `There is no flow ${flowId} in the workspace of the trigger.`);
  }
  return starter.startFlow(version, undefined, {
    input,
    configuration,
    startKey,
    ...(skipsOverlap ? { singletonKey: triggerOf(startKey) } : {}),
    wait: undefined,
    change: { ...change, actor: startedBy },
    traceparent,
    nodeID: null,
  });
}

const isTooLate = ({ notAfter }: Start): boolean =>
  notAfter !== undefined && databaseClock.now() >= Date.parse(notAfter);

const findStarted = (startKey: string): Promise<StartedRun | null> =>
  RunModel.findOne({ startKey }, { createdAt: 1 }).lean<StartedRun>().exec();

/** The kind and the id of the trigger of a start, such as `schedule/7`. */
const triggerOf = (startKey: string): string => startKey.slice(0, startKey.lastIndexOf('/'));

/** Whether a run of the trigger is live, be it of an earlier or a later occurrence. */
const hasLiveRun = async (trigger: string): Promise<boolean> =>
  (await RunModel.exists({
    live: true,
    startKey: { $gte: `${trigger}/`, $lt: `${trigger}0` }, // 0 is the character after the slash
  })) !== null;

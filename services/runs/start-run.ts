import type { Plan } from '@workspace-automation/flow-language';
import { invalidField, Problem } from '../../contract/problem.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { outboxOf } from '../../mixins/changes/outbox.ts';
import { nextId } from '../../mixins/database/ids.ts';
import { ROLLUP_PENDING, type RunDocument } from '../../models/run.model.ts';
import type { Share } from '../../support/fair-shares/share.ts';
import { newTraceparent } from '../../support/tracing/context.ts';
import type { Params } from '../contracts.ts';
import { assertInputFits, type ValidateInput } from './check-input.ts';
import type { VersionKey } from './engine/execution/plan-cache.ts';
import { insertRun } from './engine/writes/run-writes.ts';
import type { VersionToRun } from './flow-lookup.ts';
import { baseBytesOf } from './quotas/run-bytes.ts';
import {
  assertNotArchived,
  type FindConfiguration,
  findConfiguration,
  keepConfiguration,
} from './run-configuration.ts';
import { runOutboxes } from './runs.outboxes.ts';
import { FlowHasNoVersion } from './runs.problems.ts';
import type { ShownRun } from './show-run.ts';

export interface StartTools {
  planOf: (version: VersionKey, share: Share, content?: string) => Promise<Plan | null>;
  validateInput: ValidateInput;
  findConfiguration: FindConfiguration;
}

/** Bytes of a run's input as JSON; a longer input is refused. */
const MAX_INPUT_BYTES = 240 * 1024;
/** Milliseconds after which a run times out, where no plan of its version sets a timeout. */
const DEFAULT_TIMEOUT_MS = 60 * 60 * 1_000;

interface StartRequest extends Pick<Params<'runs.start'>, 'input' | 'versionId' | 'configuration'> {
  /** The owner and workspace that the run counts for until it ends. */
  share: Share;
  traceparent?: string | undefined;
  change: ChangeContext;
}

/** Makes a run that is not stored yet, after checks of its input. A request may wait for the end by the run's id. */
export async function prepareRun(
  version: VersionToRun,
  order: StartRequest,
  tools: StartTools,
): Promise<RunDocument> {
  const input = order.input === undefined ? '{}' : JSON.stringify(order.input);
  assertInputSize(input);
  const { flow, versionId, content } = version;
  const { id: flowId, workspaceId } = flow;
  const store = await findConfiguration(workspaceId, order.configuration, tools.findConfiguration);
  if (versionId === null || content === null) throw noVersion(flow.name, order.versionId);
  // A version that does not compile gets a run too, which fails with that error.
  const { share, change } = order;
  const plan = await tools.planOf({ flowId, versionId }, share, content);
  if (plan) await assertInputFits(plan, input, { versionId, share }, tools.validateInput);
  assertNotArchived(store);
  const configuration = store ? { configuration: keepConfiguration(store) } : {};
  const _id = change.reservedId ?? (await nextId('runs'));
  const createdAt = new Date();
  return {
    _id,
    workspaceId,
    flowId,
    flowName: flow.name,
    versionId,
    status: 'QUEUED',
    input,
    ...configuration,
    output: null,
    error: null,
    startedBy: change.actor,
    traceparent: order.traceparent ?? newTraceparent(),
    timeoutMs: plan?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    createdAt,
    live: true,
    ready: true,
    shareOwner: share.owner,
    fence: 0,
    journal: [],
    entries: 0,
    moved: 0,
    keptBytes: 0,
    baseBytes: baseBytesOf({ input, ...configuration }),
    outbox: outboxOf(change, { id: _id, workspaceId }, { at: createdAt }),
    [ROLLUP_PENDING.creation]: true,
  };
}

/** Stores a run, which may be claimed from then on. */
export async function storeRun(run: RunDocument): Promise<ShownRun> {
  await insertRun(run);
  runOutboxes.publish(run._id, run.outbox);
  return run;
}

function assertInputSize(json: string): void {
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_INPUT_BYTES) return;
  const message = `must have at most ${MAX_INPUT_BYTES} bytes, not ${bytes}`;
  throw invalidField('input', 'too_large', message);
}

function noVersion(flowName: string, versionId: StartRequest['versionId']): Problem {
  return versionId
    ? invalidField('versionId', 'unknown_version', `is not a version of ${flowName}`)
    : new Problem(FlowHasNoVersion, `The flow ${flowName} has no version that could be run.`);
}

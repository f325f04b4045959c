import { remove, writeByIndex } from '../../mixins/lifecycle/erasure-batches.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { FlowVersionModel } from '../../models/flow-version.model.ts';
import type { Params } from '../contracts.ts';
import { hasLiveRuns } from './flows.problems.ts';
import { flows, type StoredFlow } from './flows.store.ts';
import { showFlow } from './show-flow.ts';
import { removeTestsOf } from './transformations/remove-tests.ts';

export type CountLive = (flow: { workspaceId: number; flowId: number }) => Promise<number>;

/**
 * Deletes a flow. Without `cancel`, live runs are a refusal. The process of a start that comes at the same time looks for
 * the flow again a moment after its run is stored, and cancels the run; only a process that dies before that look leaves a
 * run that goes on. The messages of the tombstone remove what belongs to the flow, in this service and in others.
 */
export async function removeFlow(
  flow: StoredFlow,
  cancel: boolean,
  change: ChangeContext,
  countLive: CountLive,
): Promise<null> {
  const { _id: flowId, workspaceId } = flow;
  const check = async () => {
    if (cancel) return;
    const live = await countLive({ workspaceId, flowId });
    if (live > 0) throw hasLiveRuns(live);
  };
  const messages = [
    { call: 'runs.cancelFlowRuns', params: { workspaceId, flowId } },
    { call: 'triggers.removeOfFlows', params: { flowId } },
    { call: 'flows.removeParts', params: { flowId } },
  ];
  await flows.remove(flow, change, { show: showFlow, check, messages });
  return null;
}

/** Removes the versions and transformation tests of deleted flows, in batches. A repetition goes on with what is left. */
export async function removeParts({ entries }: Params<'flows.removeParts'>): Promise<null> {
  for (const { flowId } of entries) {
    await removeTestsOf(flowId);
    while (await writeByIndex(FlowVersionModel, { flowId }, remove));
  }
  return null;
}

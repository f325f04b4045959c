import { type Actor, actorOf, type Caller } from '../../contract/caller.ts';
import { FlowModel } from '../../models/flow.model.ts';
import type { Params } from '../contracts.ts';
import type { FileChecks } from './check-content.ts';
import type { Flow } from './contract/resources.ts';
import { mapDuplicateName } from './duplicate-name.ts';
import { getFlow } from './find-flow.ts';
import { contradiction } from './flows.problems.ts';
import { flushPendingVersion, hashOf, newVersion, writeVersionRow } from './new-version.ts';
import { SHOWN, type StoredFlow, showFlow } from './show-flow.ts';

type FlowUpdate = Params<'flows.update'>;

/**
 * Changes the fields that are given and differ, all of them or none. Of two concurrent updates with
 * different files each makes a version, and the later one is decided again on the earlier one's result.
 */
export async function updateFlow(
  flow: StoredFlow,
  update: FlowUpdate,
  caller: Caller,
  checks: Pick<FileChecks, 'assertCompiles'>,
): Promise<Flow> {
  assertSame(flow, update);
  const { content } = update;
  if (content !== undefined && differs(flow, content)) {
    await checks.assertCompiles(flow.workspaceId, content);
  }
  for (let current = flow; ; current = await getFlow(flow._id)) {
    const details = changedDetails(current, update);
    const changed =
      content !== undefined && differs(current, content)
        ? await storeVersion(current, details, content, actorOf(caller))
        : await storeDetails(current, details);
    if (changed) return showFlow(changed);
  }
}

/** Refuses an `id` or `workspaceId` that is not the flow's own. */
function assertSame(flow: StoredFlow, { id, workspaceId }: FlowUpdate): void {
  if (id !== undefined && id !== flow._id) throw contradiction('id');
  if (workspaceId !== undefined && workspaceId !== flow.workspaceId) {
    throw contradiction('workspaceId');
  }
}

const differs = (flow: StoredFlow, content: string): boolean =>
  flow.contentHash !== hashOf(content);

type Details = Partial<Pick<StoredFlow, 'name' | 'description'>>;

function changedDetails(flow: StoredFlow, { name, description }: FlowUpdate): Details {
  return {
    ...(name === undefined || name === flow.name ? {} : { name }),
    ...(description === undefined || description === flow.description ? {} : { description }),
  };
}

async function storeDetails(flow: StoredFlow, details: Details): Promise<StoredFlow | null> {
  if (Object.keys(details).length === 0) return flow;
  return update({ _id: flow._id }, { ...details, updatedAt: new Date() });
}

/** Null when another version came first. */
async function storeVersion(
  flow: StoredFlow,
  details: Details,
  content: string,
  by: Actor,
): Promise<StoredFlow | null> {
  await flushPendingVersion(flow);
  const version = await newVersion(content, by, flow.sequence + 1);
  const changed = await update(
    { _id: flow._id, sequence: flow.sequence, pendingVersion: null },
    { ...details, ...version, updatedAt: new Date() },
  );
  if (changed && version.pendingVersion) await writeVersionRow(flow._id, version.pendingVersion);
  return changed;
}

const update = (filter: object, values: object): Promise<StoredFlow | null> =>
  FlowModel.findOneAndUpdate(
    filter,
    { $set: values },
    { returnDocument: 'after', projection: SHOWN },
  )
    .lean<StoredFlow>()
    .exec()
    .catch(mapDuplicateName);

import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Update } from '../../mixins/changes/update.ts';
import type { FlowDocument, PendingVersion } from '../../models/flow.model.ts';
import type { Params } from '../contracts.ts';
import type { FileChecks } from './check-content.ts';
import type { CheckedFlow } from './contract/resources.ts';
import { mapDuplicateName } from './duplicate-name.ts';
import { contradiction } from './flows.problems.ts';
import { flows, type StoredFlow } from './flows.store.ts';
import {
  contentHashOf,
  flushPendingVersion,
  isVersionStored,
  newVersion,
  writeVersionRow,
} from './versions/new-version.ts';
import { showFlow } from './show-flow.ts';

type FlowUpdate = Params<'flows.update'>;

/**
 * Changes the fields that are given and differ, all of them or none. Of two concurrent updates with
 * different files each makes a version, and the later update is decided again on the result of the earlier update. A
 * request that has reserved the id of its version makes one version, however often it is repeated.
 */
export async function updateFlow(
  flow: StoredFlow,
  update: FlowUpdate,
  change: ChangeContext,
  checks: Pick<FileChecks, 'assertCompiles'>,
): Promise<CheckedFlow> {
  assertSame(flow, update);
  const { content } = update;
  const warnings =
    content !== undefined && differs(flow, content)
      ? await checks.assertCompiles(flow.workspaceId, content)
      : undefined;
  let stored: PendingVersion | null = null;
  const decide = async (current: StoredFlow): Promise<Update<FlowDocument> | null> => {
    stored = null;
    const details = changedDetails(current, update);
    const changed = Object.keys(details);
    if (content === undefined || !differs(current, content)) {
      return changed.length ? { set: details } : null;
    }
    await flushPendingVersion(current);
    const { actor, reservedId } = change;
    if (await isVersionStored(reservedId)) return null;
    const version = await newVersion(content, actor, current.sequence + 1, reservedId);
    stored = version.pendingVersion;
    const { _id: flowId, workspaceId } = current;
    const { versionId, sequence } = version;
    const params = { workspaceId, flowId, versionId, sequence };
    return {
      set: { ...details, ...version },
      changed: [...changed, 'content'],
      messages: [{ call: 'flows.scheduleTransformationTests', params }],
    };
  };
  const changed = await flows.change(flow, decide, change, showFlow).catch(mapDuplicateName);
  if (stored) await writeVersionRow(flow._id, stored);
  return { ...showFlow(changed), warnings };
}

/** Refuses an `id` or `workspaceId` that differs from the flow's. */
function assertSame(flow: StoredFlow, { id, workspaceId }: FlowUpdate): void {
  if (id !== undefined && id !== flow._id) throw contradiction('id');
  if (workspaceId !== undefined && workspaceId !== flow.workspaceId) {
    throw contradiction('workspaceId');
  }
}

const differs = (flow: StoredFlow, content: string): boolean =>
  flow.contentHash !== contentHashOf(content);

type Details = Partial<Pick<StoredFlow, 'name' | 'description'>>;

function changedDetails(flow: StoredFlow, { name, description }: FlowUpdate): Details {
  return {
    ...(name === undefined || name === flow.name ? {} : { name }),
    ...(description === undefined || description === flow.description ? {} : { description }),
  };
}

import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import type { FileChecks } from './check-content.ts';
import type { CheckedFlow } from './contract/resources.ts';
import { mapDuplicateName } from './duplicate-name.ts';
import { flows } from './flows.store.ts';
import { newVersion, writeVersionRow } from './versions/new-version.ts';
import { showFlow } from './show-flow.ts';

const NO_VERSION = { versionId: null, sequence: 0, contentHash: null, pendingVersion: null };

export async function createFlow(
  { workspaceId, name, description = '', content }: Params<'flows.create'>,
  change: ChangeContext,
  checks: Pick<FileChecks, 'assertCompiles'>,
): Promise<CheckedFlow> {
  const warnings =
    content === undefined ? undefined : await checks.assertCompiles(workspaceId, content);
  const now = new Date();
  const version = content === undefined ? NO_VERSION : await newVersion(content, change.actor, 1);
  const wanted = { workspaceId, name, description, ...version, createdAt: now, updatedAt: now };
  const flow = await flows.create(wanted, change).catch(mapDuplicateName);
  if (version.pendingVersion && flow.versionId === version.versionId) {
    await writeVersionRow(flow._id, version.pendingVersion);
  }
  return { ...showFlow(flow), warnings };
}

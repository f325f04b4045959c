import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { FileChecks } from '../check-content.ts';
import type { CheckedFlow } from '../contract/resources.ts';
import type { StoredFlow } from '../flows.store.ts';
import { updateFlow } from '../update-flow.ts';
import { getContent } from './versions.ts';

/** Stores the file of an earlier version as a new version, unless the newest version has the same file. */
export async function restoreVersion(
  flow: StoredFlow,
  versionId: number,
  change: ChangeContext,
  checks: Pick<FileChecks, 'assertCompiles'>,
): Promise<CheckedFlow> {
  const content = await getContent(flow, versionId);
  return updateFlow(flow, { flowId: flow._id, content }, change, {
    assertCompiles: (workspaceId, file) =>
      checks.assertCompiles(workspaceId, file, { in: 'path', path: 'versionId' }),
  });
}

import { drawFlowchart } from '@workspace-automation/flow-language';
import type { FileChecks } from './check-content.ts';
import { hasNoVersion } from './flows.problems.ts';
import type { StoredFlow } from './flows.store.ts';
import { getContent } from './versions/versions.ts';

/** Draws the newest version of a flow as a Mermaid flowchart. Throws 409 for a flow without versions. */
export async function drawGraph(
  flow: StoredFlow,
  checks: Pick<FileChecks, 'planOf'>,
): Promise<string> {
  if (flow.versionId === null) throw hasNoVersion(flow.name);
  const content = await getContent(flow, flow.versionId);
  return drawFlowchart(await checks.planOf(flow.workspaceId, content));
}

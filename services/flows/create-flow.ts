import { actorOf, type Caller } from '../../contract/caller.ts';
import { nextId } from '../../mixins/database/ids.ts';
import { type FlowDocument, FlowModel } from '../../models/flow.model.ts';
import type { Params } from '../contracts.ts';
import type { FileChecks } from './check-content.ts';
import type { Flow } from './contract/resources.ts';
import { mapDuplicateName } from './duplicate-name.ts';
import { newVersion, writeVersionRow } from './new-version.ts';
import { showFlow } from './show-flow.ts';

const NO_VERSION = { versionId: null, sequence: 0, contentHash: null, pendingVersion: null };

export async function createFlow(
  { workspaceId, name, description = '', content }: Params<'flows.create'>,
  caller: Caller,
  checks: Pick<FileChecks, 'assertCompiles'>,
): Promise<Flow> {
  if (content !== undefined) await checks.assertCompiles(workspaceId, content);
  const now = new Date();
  const flow: FlowDocument = {
    _id: await nextId('flows'),
    workspaceId,
    name,
    description,
    ...(content === undefined ? NO_VERSION : await newVersion(content, actorOf(caller), 1)),
    createdAt: now,
    updatedAt: now,
  };
  await FlowModel.insertOne(flow).catch(mapDuplicateName);
  if (flow.pendingVersion) await writeVersionRow(flow._id, flow.pendingVersion);
  return showFlow(flow);
}

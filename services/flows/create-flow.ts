import { actorOf, type Caller } from '../../contract/caller.ts';
import { nextId } from '../../mixins/database/ids.ts';
import { type FlowDocument, FlowModel } from '../../models/flow.model.ts';
import type { FileChecks } from './check-content.ts';
import type { Flow } from './contract/resources.ts';
import { mapDuplicateName } from './duplicate-name.ts';
import { newVersion, settleVersion } from './new-version.ts';
import { showFlow } from './show-flow.ts';

export interface NewFlow {
  workspaceId: number;
  name: string;
  description?: string | undefined;
  content?: string | undefined;
}

const NO_VERSION = { versionId: null, sequence: 0, contentHash: null, unsettled: null };

export async function createFlow(
  wanted: NewFlow,
  caller: Caller,
  checks: Pick<FileChecks, 'assertCompiles'>,
): Promise<Flow> {
  const { workspaceId, name, description = '', content } = wanted;
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
  if (flow.unsettled) await settleVersion(flow._id, flow.unsettled);
  return showFlow(flow);
}

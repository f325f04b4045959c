import { descendingBy } from '../../../contract/page-order.ts';
import { type Position, positionOf } from '../../../contract/page-position.ts';
import type { Page } from '../../../contract/pages.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { type FlowVersionDocument, FlowVersionModel } from '../../../models/flow-version.model.ts';
import type { FlowVersion } from '../contract/resources.ts';
import { type FlowSummary, getFlow, summaryOf } from '../find-flow.ts';
import { noVersion } from '../flows.problems.ts';
import type { StoredFlow } from '../flows.store.ts';
import { flushPendingVersion } from './new-version.ts';

const LISTED_FIELDS = { sequence: 1, createdAt: 1 } as const;
type ListedVersion = Pick<FlowVersionDocument, '_id' | keyof typeof LISTED_FIELDS>;

/** The versions of a flow by `sequence`, newest first. */
export async function listVersions(
  flow: StoredFlow,
  position: Position,
): Promise<Page<FlowVersion>> {
  positionOf(position); // refuses a wrong cursor before the pending version is written
  await flushPendingVersion(flow);
  const query = {
    filter: { flowId: flow._id },
    order: descendingBy('sequence'),
    position,
    projection: LISTED_FIELDS,
  };
  return readPage(FlowVersionModel, query, showVersion);
}

const showVersion = ({ _id, createdAt }: ListedVersion): FlowVersion => ({
  id: _id,
  createdAt: createdAt.toISOString(),
});

/** The file of one version, byte for byte. */
export async function getContent(flow: StoredFlow, versionId: number): Promise<string> {
  const content = await findContent(flow, versionId);
  if (content === null) throw noVersion(flow._id, versionId);
  return content;
}

async function findContent(flow: StoredFlow, versionId: number): Promise<string | null> {
  await flushPendingVersion(flow);
  const version = await FlowVersionModel.findOne(
    { _id: versionId, flowId: flow._id },
    { content: 1 },
  ).lean();
  return version?.content ?? null;
}

export interface VersionForRun {
  flow: FlowSummary;
  versionId: number | null;
  content: string | null;
}

/** The wanted version of the flow, else the newest. `versionId` and `content` are null when the flow lacks the version. */
export async function versionForRun(flowId: number, wanted?: number): Promise<VersionForRun> {
  const flow = await getFlow(flowId);
  const versionId = wanted ?? flow.versionId;
  const content = versionId === null ? null : await findContent(flow, versionId);
  return { flow: summaryOf(flow), versionId: content === null ? null : versionId, content };
}

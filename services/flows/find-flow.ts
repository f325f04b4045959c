import { noFlow } from '../../contract/problem.ts';
import { ascendingBy } from '../../contract/page-order.ts';
import type { Position } from '../../contract/page-position.ts';
import type { Page } from '../../contract/pages.ts';
import { readPage } from '../../mixins/database/read-page.ts';
import { type FlowDocument, FlowModel } from '../../models/flow.model.ts';
import type { Flow } from './contract/resources.ts';
import { flows, type StoredFlow } from './flows.store.ts';
import { SHOWN_FIELDS, showFlow } from './show-flow.ts';

export async function getFlow(id: number): Promise<StoredFlow> {
  const flow = await flows.find(id);
  if (!flow) throw noFlow(id);
  return flow;
}

/** The flows of a workspace, by id. */
export function listFlows(workspaceId: number, position: Position): Promise<Page<Flow>> {
  const order = ascendingBy('_id');
  const query = { filter: { workspaceId }, order, position, projection: SHOWN_FIELDS };
  return readPage(FlowModel, query, showFlow);
}

/** The fields of a flow that other services keep. */
export interface FlowSummary {
  id: number;
  workspaceId: number;
  name: string;
}

export const summaryOf = ({
  _id: id,
  workspaceId,
  name,
}: Pick<FlowDocument, '_id' | 'workspaceId' | 'name'>): FlowSummary => ({ id, workspaceId, name });

/** A flow with the id of its newest version; null for a flow without versions. */
export interface VersionedFlow extends FlowSummary {
  versionId: number | null;
}

const SUMMARY = { workspaceId: 1, name: 1, versionId: 1 } as const;

/** The flows with these ids, without order; unknown ids are left out. Reads without mongoose, because each start of a run calls this function. */
export async function flowsByIds(ids: readonly number[]): Promise<VersionedFlow[]> {
  const filter = { _id: { $in: [...ids] }, removedAt: null };
  const found = await FlowModel.collection
    .find<Pick<FlowDocument, '_id' | keyof typeof SUMMARY>>(filter as never, {
      projection: SUMMARY,
    })
    .toArray();
  return found.map((flow) => ({ ...summaryOf(flow), versionId: flow.versionId }));
}

/** Finds the id of the flow with a name; null without one. Reads without mongoose, because each start of a child run calls this function. */
export async function findIdByName(flow: {
  workspaceId: number;
  name: string;
}): Promise<number | null> {
  const filter = { ...flow, removedAt: null };
  const found = await FlowModel.collection.findOne<Pick<FlowDocument, '_id'>>(filter as never, {
    projection: { _id: 1 },
  });
  return found?._id ?? null;
}

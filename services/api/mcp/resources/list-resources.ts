import {
  ErrorCode,
  type ListResourcesRequest,
  type ListResourcesResult,
  type Resource,
} from '@modelcontextprotocol/sdk/types.js';
import { cursorOf, readCursor } from '../../../../contract/pages.ts';
import type { Actions } from '../../../contracts.ts';
import { callOperation, isOffered } from '../call-operation.ts';
import { invalidParams } from '../json-rpc.ts';
import type { McpCall } from '../mcp-call.ts';
import { FLOW_LANGUAGE } from './flow-language.ts';
import { flowUri } from './templates.ts';

/** Resources of a page. */
const PAGE_SIZE = 100;
/** Workspaces that are looked at for a page: each is a call. */
const MAX_WORKSPACES = 10;

/** A place in the flows of the caller's workspaces: a workspace, and the cursor of its list of flows. */
interface Place {
  workspaceId: number;
  after: string;
}

/** Lists the reference of the language, then the newest files of flows, workspace after workspace. Runs are found by tools. */
export async function listResources(
  params: ListResourcesRequest['params'],
  call: McpCall,
): Promise<ListResourcesResult> {
  const place = placeOf(params?.cursor);
  const { resources, next } = await flowsFrom(place, call);
  return {
    resources: place ? resources : [FLOW_LANGUAGE, ...resources],
    ...(next ? { nextCursor: cursorOf(next.workspaceId, next.after) } : {}),
  };
}

function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  const [workspaceId, after] = readCursor(cursor, 'number', 'string') ?? [];
  if (typeof workspaceId !== 'number' || typeof after !== 'string') throw badCursor();
  return { workspaceId, after };
}

const badCursor = () => invalidParams('cursor: must be the `nextCursor` of a page of this list');

/** The flows with files from a place on, as many as a page has, and the place of the next page. */
async function flowsFrom(
  place: Place | null,
  call: McpCall,
): Promise<{ resources: Resource[]; next: Place | null }> {
  const resources: Resource[] = [];
  const ids = (await workspaceIds(call)).filter((id) => id >= (place?.workspaceId ?? 0));
  for (const [at, workspaceId] of ids.entries()) {
    const isFull = resources.length >= PAGE_SIZE || at === MAX_WORKSPACES;
    if (isFull) return { resources, next: { workspaceId, after: '' } };
    const from = workspaceId === place?.workspaceId ? place.after : '';
    const limit = PAGE_SIZE - resources.length;
    const page = await listFlows({ workspaceId, limit, ...(from ? { after: from } : {}) }, call);
    resources.push(...page.items.filter(({ versionId }) => versionId !== null).map(resourceOf));
    if (page.after !== null) return { resources, next: { workspaceId, after: page.after } };
  }
  return { resources, next: null };
}

async function workspaceIds(call: McpCall): Promise<number[]> {
  if (!isOffered('workspaces.list', call)) return []; // an API key lists nothing
  const { items } = await callOperation(call, 'workspaces.list', {}, ErrorCode.InvalidParams);
  return items.map(({ id }) => id).sort((a, b) => a - b);
}

const listFlows = (params: Actions['flows.list']['params'], call: McpCall) =>
  callOperation(call, 'flows.list', params, ErrorCode.InvalidParams);

const resourceOf = ({
  id,
  name,
  description,
  updatedAt,
}: Actions['flows.list']['result']['items'][number]): Resource => ({
  uri: flowUri(id),
  name,
  ...(description ? { description } : {}),
  mimeType: 'application/yaml',
  annotations: { lastModified: updatedAt },
});

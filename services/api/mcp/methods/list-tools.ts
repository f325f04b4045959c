import type { ListToolsRequest, ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import type { Tool } from '../../../../contract/tools.ts';
import { allTools, isOfferedTo } from '../../../tools/tools.ts';
import type { McpCall } from '../mcp-call.ts';
import { pageAfter } from './page-after.ts';

/** Tools of a page: about 120 KB of schemas. */
const PAGE_SIZE = 50;

/** The tools that the caller is offered, by their names. */
export function listTools(
  params: ListToolsRequest['params'],
  { caller }: McpCall,
): ListToolsResult {
  const offered = [...allTools().values()].filter((tool) => isOfferedTo(tool, caller));
  const { items, nextCursor } = pageAfter(offered, params?.cursor, PAGE_SIZE, ({ name }) => name);
  return { tools: items.map(shown), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** The entry of a tool. The schemas have `type: object` at their root, as the protocol asks. */
function shown({ name, title, description, inputSchema, outputSchema, annotations }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as { type: 'object' },
    ...(outputSchema ? { outputSchema: outputSchema as { type: 'object' } } : {}),
    annotations: { title, ...annotations },
  };
}

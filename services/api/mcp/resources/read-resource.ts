import type {
  ListResourceTemplatesResult,
  ReadResourceRequest,
  ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import { isOffered } from '../call-operation.ts';
import { RESOURCE_NOT_FOUND, RpcError } from '../json-rpc.ts';
import type { McpCall } from '../mcp-call.ts';
import { FLOW_LANGUAGE, readFlowLanguage } from './flow-language.ts';
import { RESOURCE_KINDS } from './templates.ts';

/** Characters of a URI. A longer URI names nothing. */
const MAX_URI_LENGTH = 500;

/** Reads a resource by its URI. One that does not exist, or not for this caller, is the error -32002. */
export async function readResource(
  { uri }: ReadResourceRequest['params'],
  call: McpCall,
): Promise<ReadResourceResult> {
  if (uri === FLOW_LANGUAGE.uri) {
    return contentOf(uri, FLOW_LANGUAGE.mimeType, await readFlowLanguage());
  }
  for (const { pattern, template, operation, read } of RESOURCE_KINDS) {
    const values = uri.length <= MAX_URI_LENGTH ? pattern.exec(uri) : null;
    if (!values || !isOffered(operation, call)) continue;
    return contentOf(uri, template.mimeType ?? '', await read(call, ...values.slice(1)));
  }
  throw new RpcError(RESOURCE_NOT_FOUND, 'There is no such resource.');
}

const contentOf = (uri: string, mimeType: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text }],
});

/** The templates of the resources that the caller may read. */
export const listResourceTemplates = (
  _params: unknown,
  call: McpCall,
): ListResourceTemplatesResult => ({
  resourceTemplates: RESOURCE_KINDS.filter(({ operation }) => isOffered(operation, call)).map(
    ({ template }) => template,
  ),
});

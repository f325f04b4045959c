import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { callTool } from '../../../tools/call-tool.ts';
import { allTools, isOfferedTo } from '../../../tools/tools.ts';
import { invalidParams } from '../json-rpc.ts';
import type { McpCall } from '../mcp-call.ts';

/** Characters of an unknown name that its error repeats. */
const MAX_NAME_LENGTH = 64;

/**
 * Calls a tool. A problem of the operation, such as arguments that do not fit, is a result with `isError`, on which a
 * model can act. A tool that the caller is not offered is unknown.
 */
export async function callNamedTool(
  { name, arguments: args = {} }: CallToolRequest['params'],
  call: McpCall,
): Promise<CallToolResult> {
  const tool = allTools().get(name);
  if (!tool || !isOfferedTo(tool, call.caller)) {
    throw invalidParams(`Unknown tool: ${name.slice(0, MAX_NAME_LENGTH)}`);
  }
  const outcome = await callTool(call.broker, tool, args, call);
  if (outcome.isError)
    return { isError: true, content: textContent(JSON.stringify(outcome.problem)) };
  const { structured, text } = outcome;
  const content = textContent(text);
  return structured ? { content, structuredContent: structured } : { content };
}

const textContent = (text: string): CallToolResult['content'] => [{ type: 'text', text }];

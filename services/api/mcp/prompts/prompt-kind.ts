import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import type { McpCall } from '../mcp-call.ts';

/** A text that a person begins with, and the resources that the server adds to it. */
export interface PromptKind {
  prompt: Prompt;
  /** Makes the messages of the values of the arguments. */
  messages: (
    values: Readonly<Record<string, string>>,
    call: McpCall,
  ) => Promise<GetPromptResult['messages']>;
}

import type {
  GetPromptRequest,
  GetPromptResult,
  ListPromptsResult,
} from '@modelcontextprotocol/sdk/types.js';
import { invalidParams } from '../json-rpc.ts';
import type { McpCall } from '../mcp-call.ts';
import { failedRun } from './failed-run.ts';
import { newFlow } from './new-flow.ts';
import type { PromptKind } from './prompt-kind.ts';

const KINDS: readonly PromptKind[] = [failedRun, newFlow];

export const listPrompts = (): ListPromptsResult => ({
  prompts: KINDS.map(({ prompt }) => prompt),
});

/** Makes the messages of a prompt. An unknown prompt, and arguments that do not fit, are an error of parameters. */
export async function getPrompt(
  { name, arguments: values = {} }: GetPromptRequest['params'],
  call: McpCall,
): Promise<GetPromptResult> {
  const kind = KINDS.find(({ prompt }) => prompt.name === name);
  if (!kind) throw invalidParams(`Unknown prompt; there are ${NAMES}.`);
  for (const { name: argument } of kind.prompt.arguments ?? []) {
    if (!values[argument]?.trim()) throw invalidParams(`${argument}: is required`);
  }
  const { description } = kind.prompt;
  const messages = await kind.messages(values, call);
  return { ...(description === undefined ? {} : { description }), messages };
}

const NAMES = KINDS.map(({ prompt }) => prompt.name).join(', ');

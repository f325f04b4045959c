import type { PromptMessage } from '@modelcontextprotocol/sdk/types.js';
import { fitValue } from '../../../tools/fit-value.ts';
import { MAX_ANSWER_BYTES } from '../../../tools/tool-answer.ts';

export const textMessage = (text: string): PromptMessage => ({
  role: 'user',
  content: { type: 'text', text },
});

/** A message with a resource inside. A long text is cut, and says so: its URI has the whole one. */
export function resourceMessage(uri: string, mimeType: string, text: string): PromptMessage {
  const { value, cuts } = fitValue(text, MAX_ANSWER_BYTES);
  const note = cuts.length ? `\n\n(${cuts.join('; ')})` : '';
  return {
    role: 'user',
    content: { type: 'resource', resource: { uri, mimeType, text: `${value}${note}` } },
  };
}

import { FLOW_LANGUAGE, readFlowLanguage } from '../resources/flow-language.ts';
import { resourceMessage, textMessage } from './prompt-messages.ts';
import type { PromptKind } from './prompt-kind.ts';

/** The prompt for a new flow, with the reference of the language. */
export const newFlow: PromptKind = {
  prompt: {
    name: 'write-a-flow',
    title: 'Write a flow',
    description: 'Write a flow file for a task, by the reference of the language',
    arguments: [
      { name: 'task', description: 'The work of the flow, in your own words', required: true },
    ],
  },
  async messages({ task }) {
    return [
      textMessage(
        `Write a flow that does this:\n\n${task}\n\nFollow the reference below. Check the file with flows_validate until it has no faults. Show me the file, and store it with flows_create only when I agree.`,
      ),
      resourceMessage(FLOW_LANGUAGE.uri, FLOW_LANGUAGE.mimeType, await readFlowLanguage()),
    ];
  },
};

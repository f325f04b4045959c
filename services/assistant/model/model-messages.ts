import type { ModelMessage } from 'ai';
import type { CallTurn, Turn } from '../context/turns.ts';

/** The messages by which the model is sent a conversation. */
export const modelMessages = (turns: readonly Turn[]): ModelMessage[] => turns.flatMap(messagesOf);

function messagesOf(turn: Turn): ModelMessage[] {
  if (turn.kind === 'person') return [messageOfPerson(turn)];
  const { text, calls } = turn;
  const parts = [
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...calls.map(({ id: toolCallId, name: toolName, arguments: input }) => ({
      type: 'tool-call' as const,
      toolCallId,
      toolName,
      input,
    })),
  ];
  if (parts.length === 0) return [];
  const results: ModelMessage[] = calls.length
    ? [{ role: 'tool', content: calls.map(resultOf) }]
    : [];
  return [{ role: 'assistant', content: parts }, ...results];
}

function messageOfPerson({ text, images = [] }: Turn & { kind: 'person' }): ModelMessage {
  if (images.length === 0) return { role: 'user', content: text };
  const files = images.map(({ mediaType, bytes }) => ({
    type: 'file' as const,
    mediaType,
    data: bytes,
  }));
  return { role: 'user', content: [{ type: 'text', text }, ...files] };
}

const resultOf = ({ id, name, outcome }: CallTurn) => ({
  type: 'tool-result' as const,
  toolCallId: id,
  toolName: name,
  output: { type: 'text' as const, value: outcome },
});

const createdBy = { type: 'person', id: 1, name: 'Ada Lovelace' } as const;

export const conversationExample = {
  id: 1,
  workspaceId: 1,
  title: 'Open issues',
  createdBy,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:31:00.000Z',
};

const question = {
  id: 1,
  conversationId: 1,
  role: 'user' as const,
  content: 'Which issues are open?',
  attachmentIds: [],
  toolCalls: [],
  status: 'COMPLETE' as const,
  usage: { inputTokens: 0, outputTokens: 0 },
  createdAt: '2026-01-31T09:31:00.000Z',
};

export const answerExample = {
  ...question,
  id: 2,
  role: 'assistant' as const,
  content: 'One issue is open: "A tooth is loose".',
  toolCalls: [
    {
      id: 1,
      operation: 'issues.list',
      arguments: { workspaceId: 1, status: 'OPEN' },
      status: 'DONE' as const,
      result: [{ id: 1, title: 'A tooth is loose' }],
      decidedBy: null,
      decidedAt: null,
    },
  ],
  usage: { inputTokens: 1204, outputTokens: 61 },
};

export const messagesExample = [question, answerExample];

const createdBy = { type: 'person', id: 7, name: 'Ada Lovelace' } as const;

export const conversationExample = {
  id: 61,
  workspaceId: 3,
  title: 'Open issues',
  createdBy,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:31:00.000Z',
};

const question = {
  id: 70,
  conversationId: 61,
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
  id: 71,
  role: 'assistant' as const,
  content: 'One issue is open: "A tooth is loose".',
  toolCalls: [
    {
      id: 5,
      operation: 'issues.list',
      arguments: { workspaceId: 3, status: 'OPEN' },
      status: 'DONE' as const,
      result: [{ id: 12, title: 'A tooth is loose' }],
      decidedBy: null,
      decidedAt: null,
    },
  ],
  usage: { inputTokens: 1204, outputTokens: 61 },
};

export const messagesExample = [question, answerExample];

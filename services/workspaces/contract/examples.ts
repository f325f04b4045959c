export const workspaceExample = { id: 17, name: 'Analytical Engines' };

export const adaExample = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };

export const invitationExample = {
  id: 31,
  workspaceId: workspaceExample.id,
  workspaceName: workspaceExample.name,
  email: 'grace@example.com',
  role: 'MEMBER',
  status: 'PENDING',
  invitedBy: { id: 42, ...adaExample },
  createdAt: '2026-01-31T09:30:00.000Z',
  expiresAt: '2026-02-07T09:30:00.000Z',
};

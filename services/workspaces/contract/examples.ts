export const workspaceExample = { id: 1, name: 'Analytical Engines' };

export const adaExample = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };

export const graceExample = {
  email: 'grace@example.com',
  firstName: 'Grace',
  lastName: 'Hopper',
};

export const invitationExample = {
  id: 1,
  workspaceId: workspaceExample.id,
  workspaceName: workspaceExample.name,
  email: 'mary@example.com',
  role: 'MEMBER',
  status: 'PENDING',
  invitedBy: { id: 1, ...adaExample },
  createdAt: '2026-01-31T09:30:00.000Z',
  expiresAt: '2026-02-07T09:30:00.000Z',
};

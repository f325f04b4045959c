import type { EventDelivery, EventSubscription } from './resources.ts';

export const subscriptionExample: EventSubscription = {
  id: 12,
  workspaceId: 42,
  url: 'https://ledger.example/hooks/issues',
  events: ['issue.created', 'issue.updated'],
  enabled: true,
  disabledReason: null,
  createdBy: { type: 'person', id: 101, name: 'Ada Lovelace' },
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
};

export const deliveryExample: EventDelivery = {
  id: 3001,
  subscriptionId: 12,
  type: 'issue.created',
  resource: { type: 'issue', id: 1204 },
  status: 'DELIVERED',
  attempts: 1,
  nextAttemptAt: null,
  response: { status: 200, body: 'ok', durationMs: 41 },
  createdAt: '2026-01-31T09:31:00.000Z',
};

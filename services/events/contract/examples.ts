import type { EventDelivery, EventSubscription } from './resources.ts';

export const subscriptionExample: EventSubscription = {
  id: 1,
  workspaceId: 1,
  url: 'https://ledger.example/hooks/issues',
  events: ['issue.created', 'issue.updated'],
  enabled: true,
  disabledReason: null,
  createdBy: { type: 'person', id: 1, name: 'Ada Lovelace' },
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
};

export const deliveryExample: EventDelivery = {
  id: 1,
  subscriptionId: 1,
  type: 'issue.created',
  resource: { type: 'issue', id: 1 },
  status: 'DELIVERED',
  attempts: 1,
  nextAttemptAt: null,
  response: { status: 200, body: 'ok', durationMs: 41 },
  createdAt: '2026-01-31T09:31:00.000Z',
};

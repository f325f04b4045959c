const createdBy = { type: 'person', id: 1, name: 'Ada Lovelace' } as const;

export const scheduleExample = {
  id: 1,
  flowId: 1,
  cron: '0 6 * * MON-FRI',
  timeZone: 'Europe/Berlin',
  input: { orders: [{ price: 40, quantity: 3 }] },
  configuration: null,
  misfire: 'RUN_ONCE' as const,
  overlap: 'SKIP' as const,
  enabled: true,
  nextAt: [
    '2026-02-02T05:00:00.000Z',
    '2026-02-03T05:00:00.000Z',
    '2026-02-04T05:00:00.000Z',
    '2026-02-05T05:00:00.000Z',
    '2026-02-06T05:00:00.000Z',
  ],
  createdBy,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
};

/** The secret part of a webhook's URL. */
export const webhookToken = 'wJ7mT2vQ0rXb9LkPz5cNfYh8sGdE4uA1oKqRi6tBxVg';

export const webhookExample = {
  id: 1,
  flowId: 1,
  url: `https://flows.example.com/hooks/${webhookToken}`,
  createdBy,
  createdAt: '2026-01-31T09:30:00.000Z',
};

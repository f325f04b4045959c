const startedBy = { type: 'person', id: 42, name: 'Ada Lovelace' };
const times = {
  startedAt: '2026-01-31T09:30:00.012Z',
  completedAt: '2026-01-31T09:30:01.512Z',
};

export const runExample = {
  id: 9001,
  workspaceId: 17,
  flowId: 301,
  flowName: 'order-sync',
  versionId: 512,
  configuration: { id: 41, externalId: 'shop-berlin', updatedAt: '2026-01-29T16:02:11.250Z' },
  status: 'SUCCESS',
  input: { since: '2026-01-30' },
  output: { pushed: 3 },
  error: null,
  startedBy,
  retryOf: null,
  createdAt: '2026-01-31T09:30:00.000Z',
  wakeAt: null,
  ...times,
};

const { flowId: _id, flowName: _name, versionId: _version, ...commonExample } = runExample;
export const executionExample = {
  ...commonExample,
  workflowId: 81,
  workflowName: 'Order sync',
  revision: 4,
  configuration: null,
};

export const stepExample = {
  id: 2,
  path: '/do/0/fetchOrders',
  name: 'fetchOrders',
  iteration: '',
  visit: 1,
  attempt: 1,
  status: 'SUCCESS',
  input: { since: '2026-01-30' },
  output: { orders: [] },
  error: null,
  ...times,
  request: {
    method: 'GET',
    url: 'https://shop.example/orders?since=***',
    headerNames: ['accept', 'idempotency-key', 'traceparent'],
    bytes: 0,
  },
  response: { status: 200, headerNames: ['content-type'], bytes: 13 },
};

export const statisticsExample = {
  totalRuns: 3,
  successfulRuns: 2,
  failedRuns: 1,
  averageDuration: 1.5,
  mostFrequentFlow: { flowId: 301, flowName: 'order-sync', runCount: 3 },
  runsByDay: [{ date: '2026-01-31T00:00:00.000Z', runCount: 3 }],
  currentlyRunningJobs: 0,
};

const sort = { empty: true, sorted: false, unsorted: true };
const unit = { dateBased: false, timeBased: true, durationEstimated: false };

export const recentRunsExample = {
  totalPages: 1,
  totalElements: 1,
  size: 10,
  content: [
    {
      id: 9001,
      flowName: 'order-sync',
      status: 'SUCCESS',
      ...times,
      duration: {
        seconds: 1,
        nano: 500_000_000,
        negative: false,
        zero: false,
        units: [unit, unit],
      },
    },
  ],
  number: 0,
  sort,
  numberOfElements: 1,
  pageable: { offset: 0, sort, pageNumber: 0, pageSize: 10, paged: true, unpaged: false },
  first: true,
  last: true,
  empty: false,
};

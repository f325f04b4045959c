const startedBy = { type: 'person', id: 1, name: 'Ada Lovelace' };
const times = {
  startedAt: '2026-01-31T09:30:00.012Z',
  completedAt: '2026-01-31T09:30:01.512Z',
};

export const runExample = {
  id: 1,
  workspaceId: 1,
  flowId: 1,
  flowName: 'Approve orders',
  versionId: 1,
  configuration: null,
  status: 'SUCCESS',
  input: { orders: [{ price: 400, quantity: 3 }] },
  output: [{ approved: true }],
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
  workflowId: 1,
  workflowName: 'Order report',
  revision: 1,
  output: { text: '1200' },
};

export const stepExample = {
  id: 1,
  path: '/do/0/sum',
  name: 'sum',
  iteration: '',
  visit: 1,
  attempt: 1,
  status: 'SUCCESS',
  input: runExample.input,
  output: { total: 1200 },
  error: null,
  ...times,
  request: null,
  response: null,
};

export const statisticsExample = {
  totalRuns: 3,
  successfulRuns: 2,
  failedRuns: 1,
  averageDuration: 1.5,
  mostFrequentFlow: { flowId: 1, flowName: 'Approve orders', runCount: 3 },
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
      id: 1,
      flowName: 'Approve orders',
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

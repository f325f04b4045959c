import { z } from 'zod';
import { Id, Timestamp } from '../../../contract/fields.ts';
import { RunStatus } from './resources.ts';

const count = z.int().nonnegative();

export const FlowStatistics = z
  .strictObject({
    totalRuns: count,
    successfulRuns: count,
    failedRuns: count,
    averageDuration: z.number().nonnegative().meta({ description: 'In seconds' }),
    mostFrequentFlow: z
      .strictObject({ flowId: Id, flowName: z.string(), runCount: count })
      .nullable(),
    runsByDay: z.array(z.strictObject({ date: Timestamp, runCount: count })),
    currentlyRunningJobs: count.meta({
      description: 'Runs of flows that run or wait; from 1,000 on, as of at most a second ago',
    }),
  })
  .meta({ id: 'FlowStatistics' });
export type FlowStatistics = z.output<typeof FlowStatistics>;

const JavaDuration = z
  .strictObject({
    seconds: z.int(),
    nano: count,
    negative: z.boolean(),
    zero: z.boolean(),
    units: z.array(
      z.strictObject({
        dateBased: z.boolean(),
        timeBased: z.boolean(),
        durationEstimated: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Duration' });
export type JavaDuration = z.output<typeof JavaDuration>;

const FlowRun = z
  .strictObject({
    id: Id,
    flowName: z.string(),
    status: RunStatus,
    startedAt: Timestamp,
    completedAt: Timestamp.nullable(),
    duration: JavaDuration,
  })
  .meta({ id: 'FlowRun' });
export type FlowRun = z.output<typeof FlowRun>;

const Sort = z
  .strictObject({ empty: z.boolean(), sorted: z.boolean(), unsorted: z.boolean() })
  .meta({ id: 'Sort' });

export const FlowRunPage = z
  .strictObject({
    totalPages: count,
    totalElements: count,
    size: count,
    content: z.array(FlowRun),
    number: count,
    sort: Sort,
    numberOfElements: count,
    pageable: z.strictObject({
      offset: count,
      sort: Sort,
      pageNumber: count,
      pageSize: count,
      paged: z.boolean(),
      unpaged: z.boolean(),
    }),
    first: z.boolean(),
    last: z.boolean(),
    empty: z.boolean(),
  })
  .meta({ id: 'FlowRunPage' });
export type FlowRunPage = z.output<typeof FlowRunPage>;

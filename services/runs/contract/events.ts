import { z } from 'zod';
import { EVERY_ROLE } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { type EventPage, eventPageOf } from '../../../contract/event-page.ts';
import { IdText, IntText, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { runExample } from './examples.ts';
import { AnyRun, RunStatus, Step } from './resources.ts';
import { NO_ETAG } from './start-fields.ts';

const id = z.int().positive();

const RunEvent = z.union([
  z.strictObject({
    id,
    event: z.literal('run'),
    data: z.strictObject({ status: RunStatus, wakeAt: Timestamp.nullable() }),
  }),
  z.strictObject({
    id,
    event: z.literal('step'),
    data: Step.omit({ input: true, output: true, inputTruncated: true, outputTruncated: true }),
  }),
  z.strictObject({ id, event: z.literal('end'), data: AnyRun }),
]);
export type RunEvent = z.output<typeof RunEvent>;

/** The largest id of an event that a request may name. */
const MAX_EVENT_ID = 1_000_000_000;

/** Milliseconds that a call may take, with the wait for the next event. */
const CALL_MS = 10_000;

export const eventActions = {
  events: action({
    summary: 'Follow a run by its events',
    description:
      'Server-sent events from the beginning, or after the event that `Last-Event-ID` names: ids grow by one. `run` has `{status, wakeAt}`, `step` an executed step without `input` and `output`, `end` the run, after which the stream closes. Steps beyond the 50 000 that are recorded have no event, nor have steps that were open when a run ended that no worker worked on. A comment comes every 15 s. When the service stops, the stream ends after a `retry:` line and goes on elsewhere with `Last-Event-ID`. Once the run has ended a `Last-Event-ID` at or past that of `end` is answered 204, at which an `EventSource` stops connecting again; an id that a live run does not have yet waits for later events.',
    route: 'GET /flows/runs/:runId/events',
    tool: { none: 'it is a stream; runs.get and runs.listSteps say the same' },
    etag: NO_ETAG,
    access: {
      who: 'member',
      roles: EVERY_ROLE,
      in: { resource: 'run', loader: 'runWithEvents', parameter: 'runId' },
      keyScope: 'flows:read',
    },
    path: { runId: IdText },
    header: {
      'last-event-id': IntText(0, MAX_EVENT_ID)
        .optional()
        .meta({ description: 'The id of the last event that the client has' }),
    },
    result: eventPageOf(RunEvent),
    format: 'events',
    otherStatus: {
      status: 204,
      description: 'The client has all events of the run, which has ended',
      when: ({ events, next }: EventPage) => next === null && events.length === 0,
    },
    timeoutMs: CALL_MS,
    errors: [NotFound],
    example: {
      answer: `id: 1\nevent: end\ndata: ${JSON.stringify(runExample)}\n\n`,
    },
  }),
};

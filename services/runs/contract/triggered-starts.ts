import { z } from 'zod';
import { Archived } from '../../../contract/archived.ts';
import { ActorRecord } from '../../../contract/audit.ts';
import { action } from '../../../contract/contract.ts';
import { Id, Timestamp } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { FlowHasNoVersion } from '../../flows/flows.problems.ts';
import { InputRefused, TooManyStarts } from '../runs.problems.ts';
import { startBody } from './start-fields.ts';

/** The names of starts: the kind and the id of the trigger, and one occurrence or request of it. */
const StartKey = z.string().regex(/^(?:schedule|webhook)\/[1-9]\d*\/[\w.:-]{1,100}$/);

/** The start of a run by a trigger, which may be repeated. */
export const triggeredStartActions = {
  startTriggered: action({
    summary: 'Run a flow for a trigger; a repetition with the same key answers the same run',
    access: { who: 'internal' },
    audit: { resource: 'run' },
    uncontended: true,
    body: {
      workspaceId: Id,
      flowId: Id,
      startKey: StartKey,
      startedBy: ActorRecord,
      /** The input as JSON. */
      input: z.string(),
      configuration: startBody.configuration,
      /** Whether no run is started while another run of the same trigger is live. */
      skipsOverlap: z.boolean().optional(),
      /** The time, by the clock of the database, from which the start is too late: its caller has lost the right to it. */
      notAfter: Timestamp.optional(),
    },
    result: z.discriminatedUnion('outcome', [
      z.strictObject({ outcome: z.literal('STARTED'), runId: Id, createdAt: Timestamp }),
      z.strictObject({ outcome: z.literal('OVERLAPPED') }),
      z.strictObject({ outcome: z.literal('TOO_LATE') }),
    ]),
    idempotent: true,
    errors: [NotFound, FlowHasNoVersion, InputRefused, Archived, TooManyStarts, QuotaReached],
  }),
};

import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';

const ofFlow = { workspaceId: Id, flowId: Id };

/** The actions by which the service of flows deletes a flow. */
export const flowRunActions = {
  liveFlowRuns: action({
    summary: 'How many runs of a flow have not ended, child runs included',
    access: { who: 'internal' },
    body: ofFlow,
    result: z.strictObject({ live: z.int().nonnegative() }),
    idempotent: true,
  }),
  cancelFlowRuns: action({
    summary: 'Cancels the runs of deleted flows that have not ended, child runs included',
    access: { who: 'internal' },
    body: { entries: entriesOf(ofFlow) },
    result: null,
    idempotent: true,
  }),
};

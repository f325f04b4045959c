import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id, IntText, Timestamp } from '../../../contract/fields.ts';

/** A subscription whose deliveries fail, or that the service has switched off. */
export const FailingSubscription = z.strictObject({
  id: Id,
  workspaceId: Id,
  /** The scheme, host and port of the receiver. The path may hold a secret. */
  origin: z.string(),
  enabled: z.boolean(),
  disabledReason: z.string().nullable(),
  /** The time of the first failed attempt since the last successful one. */
  failingSince: Timestamp.nullable(),
  /** Deliveries that are PENDING, about. */
  pending: z.int().nonnegative(),
});
export type FailingSubscription = z.output<typeof FailingSubscription>;

/** The subscriptions that have failed for longest, at most 50. */
export const LongestFailures = z.strictObject({
  failures: z.array(z.strictObject({ subscriptionId: Id, since: Timestamp })),
});
export type LongestFailures = z.output<typeof LongestFailures>;

/** The time since when deliveries wait. */
export const OldestWaiting = z.strictObject({ since: Timestamp.nullable() });
export type OldestWaiting = z.output<typeof OldestWaiting>;

/** Actions for operators and metrics, over all workspaces; they have no route. */
export const operatorActions = {
  longestFailures: action({
    summary: 'The enabled subscriptions that have failed for longest, and since when',
    access: { who: 'internal' },
    result: LongestFailures,
    idempotent: true,
  }),
  oldestWaiting: action({
    summary:
      'The time since when a delivery waits: in this process, in a free lane, or after a failed attempt',
    access: { who: 'internal' },
    result: OldestWaiting,
    idempotent: true,
  }),
  listFailingSubscriptions: action({
    summary:
      'Subscriptions whose deliveries fail, or that the service has switched off; those that fail for longest first',
    access: { who: 'internal' },
    body: { limit: IntText(1, 1_000).default(100) },
    result: z.strictObject({ subscriptions: z.array(FailingSubscription) }),
    idempotent: true,
  }),
};

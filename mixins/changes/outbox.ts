import { randomUUID } from 'node:crypto';
import { assertPayload, type Delivery, type EventContract } from '../../contract/event.ts';
import { isDevelopment } from '../../environment/environment.ts';
import type { OutboxEntry } from '../../models/changed-document.ts';
import type { ChangeContext } from './change-context.ts';

/** A message that follows a change: an event, or a call of an idempotent internal action. */
export type OutboxMessage =
  | { event: string; delivery: Delivery; payload: object }
  | { call: string; params: object };

/** The message that emits an event. Outside production a payload that its contract does not allow is a `TypeError`. */
export function eventMessage<P extends object>(
  event: EventContract<string, P>,
  payload: NoInfer<P>,
): OutboxMessage {
  if (isDevelopment) assertPayload(event, payload);
  return { event: event.name, delivery: event.delivery, payload };
}

/** The resource that an audit entry names. */
export interface AuditedResource {
  id: number | string;
  workspaceId: number | null;
}

export const RECORD_AUDIT = 'workspaces.recordAudit';

/**
 * The outbox of a change: the audit entry that its contract asks for, and the messages of the use case. An audit
 * entry of the use case records an earlier change, and comes first.
 */
export function outboxOf(
  change: ChangeContext,
  resource: AuditedResource,
  { at, changed = [], messages = [] }: Outgoing,
): OutboxEntry[] {
  const own = auditMessage(change, resource, changed);
  const earlier = messages.filter(isAudit);
  const others = messages.filter((message) => !isAudit(message));
  return [...earlier, ...own, ...others].map((message) => outboxEntryOf(message, at));
}

/** The entry of a message, which is stored with the change at that time. */
export const outboxEntryOf = (message: OutboxMessage, at: Date): OutboxEntry => ({
  id: entryIdOf(at),
  at,
  ...message,
});

const isAudit = (message: OutboxMessage): boolean =>
  'call' in message && message.call === RECORD_AUDIT;

interface Outgoing {
  at: Date;
  changed?: readonly string[] | undefined;
  messages?: readonly OutboxMessage[] | undefined;
}

/** The message that records a change in the audit log; none where the contract says so. */
export function auditMessage(
  { audit, actor, via, operation, requestId }: ChangeContext,
  { id, workspaceId }: AuditedResource,
  changed: readonly string[],
): OutboxMessage[] {
  if ('none' in audit) return [];
  const resource = { type: audit.resource, id };
  const params = { workspaceId, actor, via, operation, resource, changed, requestId };
  return [{ call: RECORD_AUDIT, params }];
}

/** The time of the latest entry id, and the ids that were made for that time. */
let latest = { time: 0, count: 0 };

/**
 * A UUID of version 7 (RFC 9562): ids are in the order of their time, and ids of one process with the same time
 * in the order in which they are made (section 6.2, method 1).
 */
function entryIdOf(at: Date): string {
  const time = at.getTime();
  latest = { time, count: time === latest.time ? Math.min(latest.count + 1, 0xfff) : 0 };
  const count = latest.count.toString(16).padStart(3, '0');
  return `${entryIdPrefix(time)}-7${count}${randomUUID().slice(18)}`;
}

/** The prefix of the ids of all entries of a millisecond since the epoch. Prefixes are in the order of their time. */
export function entryIdPrefix(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

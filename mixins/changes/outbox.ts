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

/** The outbox of a change: the audit entry that its contract asks for, and the messages of the use case. */
export function outboxOf(
  change: ChangeContext,
  resource: AuditedResource,
  { at, changed = [], messages = [] }: Outgoing,
): OutboxEntry[] {
  const audit = auditMessage(change, resource, changed);
  return [...audit, ...messages].map((message) => ({ id: entryIdOf(at), at, ...message }));
}

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

/** A UUID of version 7 (RFC 9562): ids are in the order of their time. */
function entryIdOf(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

import type { EventType } from '../../contract/outgoing-event.ts';
import type { ChangeContext } from './change-context.ts';
import type { OutboxMessage } from './outbox.ts';
import type { Update } from './update.ts';

/**
 * The outgoing events of a store's documents. The store writes the event with the change, as a call of the publishing
 * action of its service, with a snapshot of the document.
 */
export interface OutgoingEvents<S> {
  /** The action that publishes the events: `issues.publishEvents`. */
  publish: string;
  /**
   * The event of a change; null for none. `before` is null for a creation, `after` for a removal. Both are as reads of the
   * store return documents.
   */
  typeOf: (before: S | null, after: S | null) => EventType | null;
  /** The fields that the event shows, as JSON. A removal shows the document as it was. */
  snapshot: (document: S) => object;
  /** The workspace of a document. */
  workspaceOf: (document: S) => number;
}

/** The messages that publish the event of a change: one, or none. */
export function outgoingMessages<S extends { _id: number | string }>(
  events: OutgoingEvents<S> | undefined,
  before: S | null,
  after: S | null,
): OutboxMessage[] {
  const shown = after ?? before;
  const type = events?.typeOf(before, after) ?? null;
  if (!events || !shown || type === null) return [];
  const workspaceId = events.workspaceOf(shown);
  const params = { documentId: shown._id, workspaceId, type, snapshot: events.snapshot(shown) };
  return [{ call: events.publish, params }];
}

/** The message that publishes the event of a change whose context has one. */
export function contextMessages(
  { outgoing, audit }: ChangeContext,
  documentId: number | string,
  workspaceId: number | null,
): OutboxMessage[] {
  if (!outgoing || 'none' in audit || workspaceId === null) return [];
  const { publish, type, snapshot } = outgoing;
  return [{ call: publish, params: { documentId, workspaceId, type, snapshot } }];
}

/** The document as the update leaves it. Lists that the update adds to or takes from stay as they are. */
export function updated<T, S extends object>(
  current: S,
  { set, unset = [] }: Update<T>,
  at: Date,
): S {
  const kept = Object.entries(current).filter(([name]) => !unset.includes(name as never));
  return { ...Object.fromEntries(kept), ...set, updatedAt: at } as S;
}

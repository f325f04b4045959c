import type { Problem } from '../../contract/problem.ts';
import type { ChangedDocument } from '../../models/changed-document.ts';
import type { AuditedResource } from './outbox.ts';
import type { OutgoingEvents } from './outgoing-events.ts';

/** How a model's documents are read, named in the audit log, and removed. */
export interface StoreOptions<T extends ChangedDocument, H extends keyof T & string> {
  /** Fields that reads leave out and the audit log does not name. */
  hidden?: readonly H[];
  /** Paths within fields that reads leave out; the audit log names the field all the same. */
  unread?: readonly string[];
  /** The 404 of a document that has gone. */
  missing: (id: never) => Problem;
  /** What the audit log calls the document; its `_id` and its `workspaceId` unless given. */
  resourceOf?: (document: T) => AuditedResource;
  /**
   * The field that tells a document from an earlier one with the same id, for ids that are given again. A
   * write then counts only for the document that was read, since revisions begin anew.
   */
  incarnation?: keyof T & string;
  /** Fields that a tombstone gets, for a unique index that is not partial: without them all tombstones are equal there. */
  tombstone?: (id: T['_id']) => Partial<Omit<T, keyof ChangedDocument>>;
  /** The events that subscriptions of the workspace may ask for; none unless given. Hidden fields are absent. */
  outgoing?: OutgoingEvents<T>;
  /** Whether a new document is inserted alone: see `batchInsert`. */
  isLarge?: (document: T) => boolean;
}

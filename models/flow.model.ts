import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A version that exists and whose row in `flow_versions` may not have been written yet. */
const pendingVersionFields = {
  id: field.number,
  sequence: field.number,
  content: field.string,
  createdBy: actor,
  createdAt: field.date,
};
export type PendingVersion = DocumentOf<typeof pendingVersionFields>;
const pendingVersion = field.object(pendingVersionFields);

/**
 * A flow. This one document decides which versions there are and in which order: a version exists from
 * the moment that `sequence` counts it.
 */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  description: field.string,
  /** The newest version; null while there is none. */
  versionId: field.nullable(field.number),
  /** How many versions there are: the newest one's number. */
  sequence: field.number,
  /** SHA-256 of the newest version's content. */
  contentHash: field.nullable(field.string),
  pendingVersion: field.nullable(pendingVersion),
  /** `pendingVersion` as earlier data names it. It is read and emptied, never filled. */
  unsettled: field.optional(field.nullable(pendingVersion)),
  createdAt: field.date,
  ...changedFields,
};
export type FlowDocument = DocumentOf<typeof fields>;

export const FlowModel = defineModel({
  name: 'Flow',
  collection: 'flows',
  fields,
  indexes: [
    outboxIndex,
    [{ workspaceId: 1, _id: 1 }],
    [{ workspaceId: 1, name: 1 }, { unique: true }],
  ],
});

/** The index that keeps names unique, as the database names it. */
export const UNIQUE_NAME = 'workspaceId_1_name_1';

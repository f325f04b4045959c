import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** A version of the flow whose row in `flow_versions` may not be written yet. */
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
 * A flow. This document alone decides the versions of the flow and their order. A version exists from the write of
 * this document that counts the version in `sequence`.
 */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  description: field.string,
  /** The id of the newest version; null in a flow without versions. */
  versionId: field.nullable(field.number),
  /** The number of versions, which is the number of the newest version. */
  sequence: field.number,
  /** SHA-256 of the newest version's content. */
  contentHash: field.nullable(field.string),
  pendingVersion: field.nullable(pendingVersion),
  /** The pending version under the name of earlier data. The field is read and emptied, and never filled. */
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
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['pendingVersion.createdBy', 'unsettled.createdBy'] },
  },
});

/** The database's name of the index that keeps names unique. */
export const UNIQUE_NAME = 'workspaceId_1_name_1';

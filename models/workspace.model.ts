import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

const fields = {
  _id: field.number,
  name: field.string,
  /** The user ids of the OWNERs, whatever the members' rows say. Never empty. */
  ownerIds: field.list(field.number),
  /** The users who become OWNER once their pending row is confirmed. */
  pendingOwnerIds: field.list(field.number),
  createdBy: actor,
  /** The workspace's number among those of its creator, below the quota; absent without a quota. */
  quotaSlot: field.optional(field.number),
  createdAt: field.date,
  ...changedFields,
};
export type WorkspaceDocument = DocumentOf<typeof fields>;

/** The unique index that lets one workspace of a person hold a quota slot. */
export const QUOTA_SLOT_INDEX = 'creator_quota_slot';

export const WorkspaceModel = defineModel({
  name: 'Workspace',
  collection: 'workspaces',
  fields,
  indexes: [
    [{ ownerIds: 1, _id: 1 }],
    [{ 'createdBy.id': 1 }],
    outboxIndex,
    [
      { 'createdBy.id': 1, quotaSlot: 1 },
      {
        name: QUOTA_SLOT_INDEX,
        unique: true,
        partialFilterExpression: { quotaSlot: { $exists: true } },
      },
    ],
  ],
});

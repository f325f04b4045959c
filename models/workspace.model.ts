import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

const fields = {
  _id: field.number,
  name: field.string,
  /** The user ids of the OWNERs. The list is never empty, and members' rows do not override the list. */
  ownerIds: field.list(field.number),
  /** The ids of users who become OWNER once their pending row is confirmed. */
  pendingOwnerIds: field.list(field.number),
  createdBy: actor,
  /** The OWNER who has taken the work of the workspace over from its creator; absent before. */
  payerId: field.optional(field.number),
  /** The number of the workspace among its creator's workspaces, below the quota; absent without a quota. */
  quotaSlot: field.optional(field.number),
  createdAt: field.date,
  ...changedFields,
};
export type WorkspaceDocument = DocumentOf<typeof fields>;

/** The name of the unique index by which at most one workspace of a person holds a quota slot. */
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
  lifecycle: {
    workspace: { keep: 'the deletion puts a tombstone in its place' },
    person: { rename: ['createdBy'] },
  },
});

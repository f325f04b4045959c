import { actor } from './actor.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** What an edit of a branch did. REBASED: the branch took over what was published otherwise. */
export const EDIT_KINDS = ['ADDED', 'MODIFIED', 'MOVED', 'DELETED', 'RESTORED', 'REBASED'] as const;
export type EditKind = (typeof EDIT_KINDS)[number];

/** An edit in the history of a branch. It never changes. */
const fields = {
  /** The id of the branch and the number of the edit, so that an edit that is recorded again has no effect. */
  _id: field.string,
  workspaceId: field.number,
  branchId: field.number,
  /** The number of the edit in its branch, from 1: the id of its snapshot. */
  n: field.number,
  /** The hash of the snapshot's steps. */
  hash: field.string,
  stepCount: field.number,
  /** The step that was edited; null for an edit of several steps. */
  key: field.nullable(field.string),
  kind: field.stringOf<EditKind>(),
  actor,
  editedAt: field.date,
};
export type DevModeEditDocument = DocumentOf<typeof fields>;

export const devModeEditId = (branchId: number, n: number): string => `${branchId}/${n}`;

export const DevModeEditModel = defineModel({
  name: 'DevModeEdit',
  collection: 'dev_mode_edits',
  fields,
  indexes: [[{ branchId: 1, n: 1 }], [{ workspaceId: 1, _id: 1 }]],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['actor'] },
  },
});

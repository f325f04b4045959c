import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The data key of a workspace, which seals the secrets of its credentials. */
const fields = {
  /** The workspace's id. */
  _id: field.number,
  /** The name of the master key that wraps the data key. */
  kid: field.string,
  /** The data key, encrypted by the master key. */
  wrapped: field.string,
  createdAt: field.date,
};
export type WorkspaceKeyDocument = DocumentOf<typeof fields>;

export const WorkspaceKeyModel = defineModel({
  name: 'WorkspaceKey',
  collection: 'workspace_keys',
  fields,
  lifecycle: {
    workspace: { remove: '_id' },
    person: { keep: 'data keys are those of a workspace' },
  },
});

import { noWorkspace } from '../../contract/problem.ts';
import { changesOf, type Shown } from '../../mixins/changes/change-store.ts';
import { type WorkspaceDocument, WorkspaceModel } from '../../models/workspace.model.ts';

export type StoredWorkspace = Readonly<Shown<WorkspaceDocument>>;

export const workspaces = changesOf(WorkspaceModel, {
  missing: noWorkspace,
  resourceOf: ({ _id }) => ({ id: _id, workspaceId: _id }),
});

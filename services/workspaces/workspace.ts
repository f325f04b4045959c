import { noWorkspace } from '../../contract/problem.ts';
import { batchFind } from '../../mixins/database/batch-loader.ts';
import { type WorkspaceDocument, WorkspaceModel } from '../../models/workspace.model.ts';

interface Shown {
  id: number;
  name: string;
}

const findName = batchFind<Pick<WorkspaceDocument, '_id' | 'name'>>(WorkspaceModel, {
  projection: { name: 1 },
});

export async function getWorkspace(id: number): Promise<Shown> {
  const found = await findName(id);
  if (!found) throw noWorkspace(id);
  return { id, name: found.name };
}

export async function renameWorkspace(id: number, name: string): Promise<Shown> {
  const { matchedCount } = await WorkspaceModel.updateOne(
    { _id: id },
    { $set: { name, updatedAt: new Date() } },
  );
  if (matchedCount === 0) throw noWorkspace(id);
  return { id, name };
}

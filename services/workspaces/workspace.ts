import { noWorkspace } from '../../mixins/problem.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';

interface Shown {
  id: number;
  name: string;
}

export async function getWorkspace(id: number): Promise<Shown> {
  const found = await WorkspaceModel.findById(id, { name: 1 }).lean();
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

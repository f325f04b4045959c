import { noWorkspace } from '../../contract/problem.ts';
import { type StoredWorkspace, workspaces } from './workspaces.store.ts';

export async function getWorkspace(id: number): Promise<StoredWorkspace> {
  const found = await workspaces.find(id);
  if (!found) throw noWorkspace(id);
  return found;
}

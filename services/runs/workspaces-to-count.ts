import type { Caller } from '../../mixins/caller.ts';
import { invalidRequest, noWorkspace } from '../../mixins/problem.ts';

export interface Memberships {
  roleOf: (userId: number, workspaceId: number) => Promise<string | null>;
  workspacesOf: (userId: number) => Promise<number[]>;
}

/** The workspaces that a caller's statistics are over: the one named, or all of the caller's. */
export async function workspacesToCount(
  caller: Caller,
  workspaceId: number | undefined,
  { roleOf, workspacesOf }: Memberships,
): Promise<number[]> {
  if (caller.kind !== 'person') {
    if (workspaceId !== undefined) return [workspaceId]; // a service, or the operator's console
    const message = 'is required of a caller that is a member of none';
    throw invalidRequest([{ in: 'query', path: 'workspaceId', code: 'required', message }]);
  }
  if (workspaceId === undefined) return workspacesOf(caller.userId);
  if (await roleOf(caller.userId, workspaceId)) return [workspaceId];
  throw noWorkspace(workspaceId);
}

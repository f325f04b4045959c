import type { Caller } from '../../../contract/caller.ts';
import { invalidRequest } from '../../../contract/problem.ts';

/**
 * Finds the workspaces whose runs are counted for a caller: the given one, for which the access check has
 * passed, or all workspaces of the caller.
 */
export async function workspacesToCount(
  caller: Caller,
  workspaceId: number | undefined,
  workspacesOf: (userId: number) => Promise<number[]>,
): Promise<number[]> {
  if (workspaceId !== undefined) return [workspaceId];
  if (caller.kind === 'person') return workspacesOf(caller.userId);
  if (caller.kind === 'service-account') return [caller.workspaceId];
  const message = 'is required of a caller that is a member of none';
  throw invalidRequest([{ in: 'query', path: 'workspaceId', code: 'required', message }]);
}

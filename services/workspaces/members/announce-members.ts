import { type EventSource, emit } from '../../../contract/event.ts';
import { memberChanged } from '../workspaces.events.ts';

/** Makes every process drop the cached roles of a user in these workspaces. */
export async function announceMembers(
  source: EventSource,
  userId: number,
  workspaceIds: readonly number[],
): Promise<void> {
  for (const workspaceId of workspaceIds) {
    await emit(source, memberChanged, { workspaceId, userId });
  }
}

import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { apiDescriptions, type StoredApiDescription } from './api-descriptions.store.ts';
import { showApiDescription } from './show-description.ts';

export async function removeApiDescription(
  description: StoredApiDescription,
  change: ChangeContext,
): Promise<null> {
  await apiDescriptions.remove(description, change, { show: showApiDescription });
  return null;
}

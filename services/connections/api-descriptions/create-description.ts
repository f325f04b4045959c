import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Params } from '../../contracts.ts';
import type { ApiDescription } from '../contract/api-descriptions.ts';
import { apiDescriptions } from './api-descriptions.store.ts';
import { assertOriginAllowed, withReservation } from './credential-reference.ts';
import { showApiDescription } from './show-description.ts';
import { readUrl } from './url-template.ts';

export async function createApiDescription(
  given: Params<'connections.createApiDescription'>,
  change: ChangeContext,
): Promise<ApiDescription> {
  const { workspaceId, authCredentialId: id } = given;
  const template = readUrl(given.url);
  const now = new Date();
  const created = await withReservation(workspaceId, async (reservation) => {
    assertOriginAllowed(await reservation.reserve({ id, field: 'authCredentialId' }), template);
    return apiDescriptions.create({ ...given, createdAt: now, updatedAt: now }, change);
  });
  return showApiDescription(created);
}

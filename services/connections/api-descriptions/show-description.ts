import { ascendingBy } from '../../../contract/page-order.ts';
import type { Page } from '../../../contract/pages.ts';
import { pageFrom } from '../../../contract/pages.ts';
import { readRows } from '../../../mixins/database/read-page.ts';
import { ApiDescriptionModel } from '../../../models/api-description.model.ts';
import type { Params } from '../../contracts.ts';
import { findCredentials } from '../auth-credentials/references/reservations.ts';
import type { ApiDescription } from '../contract/api-descriptions.ts';
import type { AuthCredentialSummary } from '../contract/resources.ts';
import { apiDescriptions, type StoredApiDescription } from './api-descriptions.store.ts';

/** Bytes of a row beside its texts. */
const ROW_BYTES = 200;

/** The API descriptions of a workspace, by id. */
export async function listApiDescriptions({
  workspaceId,
  ...position
}: Params<'connections.listApiDescriptions'>): Promise<Page<ApiDescription>> {
  const order = ascendingBy('_id');
  const rows = await readRows<StoredApiDescription, StoredApiDescription>(ApiDescriptionModel, {
    filter: { workspaceId },
    order,
    position,
    projection: apiDescriptions.projection,
    bytesOf: ({ url, description }) => url.length + description.length + ROW_BYTES,
  });
  const show = await showWithCredentials(workspaceId, rows);
  return pageFrom(rows, position.limit, show, order.cursorOf);
}

export async function showApiDescription(
  description: StoredApiDescription,
): Promise<ApiDescription> {
  return (await showWithCredentials(description.workspaceId, [description]))(description);
}

async function showWithCredentials(
  workspaceId: number,
  descriptions: readonly StoredApiDescription[],
): Promise<(description: StoredApiDescription) => ApiDescription> {
  const ids = [...new Set(descriptions.map(({ authCredentialId }) => authCredentialId))];
  const { credentials } = await findCredentials({ workspaceId, ids });
  const byId = new Map(credentials.map((credential) => [credential.id, credential]));
  return (description) => showWith(description, byId.get(description.authCredentialId));
}

const showWith = (
  { _id: id, url, methodType, authCredentialId, name, description }: StoredApiDescription,
  credential: AuthCredentialSummary | undefined,
): ApiDescription => ({
  id,
  url,
  methodType,
  authCredentials: credential ?? deletedCredential(authCredentialId),
  name,
  description,
});

/** The form of a credential that was deleted with its workspace a moment before the description. */
const deletedCredential = (id: number): AuthCredentialSummary => ({
  id,
  name: 'Deleted credential',
  authType: 'NONE',
});

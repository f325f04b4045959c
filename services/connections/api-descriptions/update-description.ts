import { invalidField } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import type { Params } from '../../contracts.ts';
import { authCredentials } from '../auth-credentials/auth-credentials.store.ts';
import type { ApiDescription } from '../contract/api-descriptions.ts';
import { apiDescriptions, type StoredApiDescription } from './api-descriptions.store.ts';
import {
  assertOriginAllowed,
  type CredentialReservation,
  wishedCredential,
  withReservation,
} from './credential-reference.ts';
import { showApiDescription } from './show-description.ts';
import { readUrl } from './url-template.ts';

type DescriptionUpdate = Params<'connections.updateApiDescription'>;

/** Changes the given fields that differ. Only a changed URL or credential is checked. */
export async function updateApiDescription(
  description: StoredApiDescription,
  update: DescriptionUpdate,
  change: ChangeContext,
): Promise<ApiDescription> {
  if (update.id !== undefined && update.id !== description._id) {
    throw invalidField('id', 'contradiction', 'is not the one of this API description');
  }
  const changed = await withReservation(description.workspaceId, async (reservation) => {
    const decide = (current: StoredApiDescription) => decideChange(current, update, reservation);
    await decide(description); // the order of checks puts a fault of the body (400) before `If-Match` (412)
    return apiDescriptions.change(description, decide, change, showApiDescription);
  });
  return showApiDescription(changed);
}

async function decideChange(
  current: StoredApiDescription,
  update: DescriptionUpdate,
  reservation: CredentialReservation,
) {
  const { url, methodType, name, description } = update;
  const authCredentialId = wishedCredential(update)?.id;
  const set = changed(current, { url, methodType, name, description, authCredentialId });
  await assertTarget(current, set, update, reservation);
  return Object.keys(set).length > 0 ? { set } : null;
}

/** Checks a changed URL, and that the credential may be sent to the origin of the URL. */
async function assertTarget(
  current: StoredApiDescription,
  set: Changes,
  update: DescriptionUpdate,
  reservation: CredentialReservation,
): Promise<void> {
  const wished = wishedCredential(update);
  if (set.url === undefined && set.authCredentialId === undefined) return;
  const template = readUrl(set.url ?? current.url);
  const credential =
    wished && set.authCredentialId !== undefined
      ? await reservation.reserve(wished)
      : await authCredentials.find(current.authCredentialId);
  if (credential) assertOriginAllowed(credential, template, wished?.field);
}

type Changes = Partial<
  Pick<StoredApiDescription, 'url' | 'methodType' | 'name' | 'description' | 'authCredentialId'>
>;

/** The given fields that differ from the stored fields. */
const changed = (
  description: StoredApiDescription,
  given: { [K in keyof Changes]: Changes[K] | undefined },
) =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) =>
        value !== undefined && value !== description[field as keyof StoredApiDescription],
    ),
  ) as Changes;

import { ascendingBy } from '../../../contract/page-order.ts';
import { invalidField } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import {
  type EmailDomainDocument,
  EmailDomainModel,
  UNIQUE_DOMAIN,
} from '../../../models/email-domain.model.ts';
import type { Params } from '../../contracts.ts';
import { emailDomains, type StoredEmailDomain } from './email-domains.store.ts';

/** Whether a workspace exists now. */
export type WorkspaceExists = (workspaceId: number) => Promise<boolean>;

export const showEmailDomain = ({
  _id,
  domain,
  autoJoinWorkspaceId,
  autoJoinRole,
  createdAt,
  updatedAt,
}: StoredEmailDomain) => ({
  id: _id,
  domain,
  autoJoinWorkspaceId,
  autoJoinRole,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** Lists a domain. A domain that is listed already is a fault of the field. */
export async function createEmailDomain(
  wanted: Params<'identity.createEmailDomain'>,
  change: ChangeContext,
  workspaceExists: WorkspaceExists,
) {
  await assertWorkspace(wanted.autoJoinWorkspaceId, workspaceExists);
  const now = new Date();
  const domain = { ...wanted, createdBy: change.actor, createdAt: now, updatedAt: now };
  return showEmailDomain(await refuseDuplicate(emailDomains.create(domain, change)));
}

/** The listed domains by id. */
export function listEmailDomains(position: Params<'identity.listEmailDomains'>) {
  const { projection } = emailDomains;
  const filter = { removedAt: { $exists: false } };
  const query = { filter, order: ascendingBy('_id'), position, projection };
  return readPage(EmailDomainModel, query, showEmailDomain);
}

/** Changes a listed domain. A workspace is looked up only when it is another than before. */
export async function updateEmailDomain(
  current: StoredEmailDomain,
  { id: _, ...wanted }: Params<'identity.updateEmailDomain'>,
  change: ChangeContext,
  workspaceExists: WorkspaceExists,
) {
  const decide = async (stored: StoredEmailDomain) => {
    const set = changedFieldsOf(stored, wanted);
    if (Object.keys(set).length === 0) return null;
    await assertWorkspace(set.autoJoinWorkspaceId, workspaceExists);
    return { set };
  };
  const changed = emailDomains.change(current, decide, change, showEmailDomain);
  return showEmailDomain(await refuseDuplicate(changed));
}

type Details = Pick<EmailDomainDocument, 'domain' | 'autoJoinWorkspaceId' | 'autoJoinRole'>;

/** The wanted fields whose value is another than the stored one. */
function changedFieldsOf(
  stored: Details,
  {
    domain,
    autoJoinWorkspaceId,
    autoJoinRole,
  }: Partial<{ [K in keyof Details]: Details[K] | undefined }>,
): Partial<Details> {
  return {
    ...(domain === undefined || domain === stored.domain ? {} : { domain }),
    ...(autoJoinWorkspaceId === undefined || autoJoinWorkspaceId === stored.autoJoinWorkspaceId
      ? {}
      : { autoJoinWorkspaceId }),
    ...(autoJoinRole === undefined || autoJoinRole === stored.autoJoinRole ? {} : { autoJoinRole }),
  };
}

export const removeEmailDomain = (
  current: StoredEmailDomain,
  change: ChangeContext,
): Promise<void> => emailDomains.remove(current, change, { show: showEmailDomain });

async function assertWorkspace(
  workspaceId: number | null | undefined,
  workspaceExists: WorkspaceExists,
): Promise<void> {
  if (workspaceId == null || (await workspaceExists(workspaceId))) return;
  throw invalidField('autoJoinWorkspaceId', 'not_found', 'must be the id of a workspace');
}

async function refuseDuplicate<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (!isDuplicateKey(error, UNIQUE_DOMAIN)) throw error;
    throw invalidField('domain', 'duplicate', 'is listed already');
  }
}

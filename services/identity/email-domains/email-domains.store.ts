import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import { type EmailDomainDocument, EmailDomainModel } from '../../../models/email-domain.model.ts';

export type StoredEmailDomain = Shown<EmailDomainDocument>;

/**
 * The store of all changes of e-mail domains, which belong to no workspace. The unique index covers tombstones as
 * well, so the `domain` of each tombstone is a unique text.
 */
export const emailDomains = changesOf(EmailDomainModel, {
  missing: (id: number) => new Problem(NotFound, `There is no e-mail domain ${id}.`),
  resourceOf: ({ _id: id }) => ({ id, workspaceId: null }),
  tombstone: (id) => ({ domain: `removed ${id}` }),
});

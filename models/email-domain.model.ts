import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The roles that users of a listed domain may get by themselves. */
export const AUTO_JOIN_ROLES = ['MEMBER', 'GUEST'] as const;
export type AutoJoinRole = (typeof AUTO_JOIN_ROLES)[number];

const fields = {
  _id: field.number,
  /** The ASCII form in lower case, unique among listed domains. A tombstone has a text that is no domain. */
  domain: field.string,
  /** The workspace that users of the domain join when they verify their address; null for none. */
  autoJoinWorkspaceId: field.nullable(field.number),
  autoJoinRole: field.stringOf<AutoJoinRole>(),
  createdBy: actor,
  createdAt: field.date,
  ...changedFields,
};
export type EmailDomainDocument = DocumentOf<typeof fields>;

export const EmailDomainModel = defineModel({
  name: 'EmailDomain',
  collection: 'email_domains',
  fields,
  indexes: [outboxIndex, [{ domain: 1 }, { unique: true }], [{ autoJoinWorkspaceId: 1 }]],
  lifecycle: {
    workspace: { clear: 'autoJoinWorkspaceId' },
    person: { rename: ['createdBy'] },
  },
});

/** The database's name of the index that keeps domains unique. */
export const UNIQUE_DOMAIN = 'domain_1';

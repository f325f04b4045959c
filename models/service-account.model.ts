import type { Role } from '../contract/access-rule.ts';
import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The roles that a service account may have. */
export type AccountRole = Exclude<Role, 'OWNER'>;

const fields = {
  _id: field.number,
  workspaceId: field.number,
  name: field.string,
  role: field.stringOf<AccountRole>(),
  /** The client of the account at its identity provider, unique among the clients of an issuer. */
  clientId: field.string,
  /** The issuer of the account's tokens; null for this service. */
  issuer: field.nullable(field.string),
  /** SHA-256 of the client secret; null where another provider checks the secret. */
  secretHash: field.nullable(field.string),
  /** The `sid` of the account's valid tokens. A new secret gets a new one, which ends the tokens of the old secret. */
  credentialId: field.string,
  /** The number of the account within the quota of its workspace. Absent without a quota. */
  quotaSlot: field.optional(field.number),
  createdBy: actor,
  createdAt: field.date,
  ...changedFields,
};
export type ServiceAccountDocument = DocumentOf<typeof fields>;

const whereExists = (name: string) => ({ partialFilterExpression: { [name]: { $exists: true } } });

export const ServiceAccountModel = defineModel({
  name: 'ServiceAccount',
  collection: 'service_accounts',
  fields,
  indexes: [
    outboxIndex,
    [
      { clientId: 1, issuer: 1 },
      { unique: true, ...whereExists('clientId') },
    ],
    [{ workspaceId: 1, _id: 1 }],
    [
      { workspaceId: 1, quotaSlot: 1 },
      { unique: true, ...whereExists('quotaSlot') },
    ],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['createdBy'] },
  },
});

/** The database's name of the index that gives each quota slot of a workspace to one account. */
export const ACCOUNT_SLOT_INDEX = 'workspaceId_1_quotaSlot_1';

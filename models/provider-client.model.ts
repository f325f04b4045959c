import type { Via } from '../contract/audit.ts';
import type { Actor } from '../contract/caller.ts';
import type { AuditRule } from '../contract/contract.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The change that a request was about to make. */
interface IntendedChange {
  actor: Actor;
  via: Via;
  requestId: string | null;
  operation: string;
  audit: AuditRule;
}

const fields = {
  /** The name of the client at the provider, drawn before its registration. */
  _id: field.string,
  accountId: field.number,
  workspaceId: field.number,
  issuer: field.string,
  /** Null until the provider's answer to the registration is stored, as the next two fields. */
  clientId: field.nullable(field.string),
  /** The address at which the provider manages the client (RFC 7592). */
  managementUrl: field.nullable(field.string),
  /** The registration access token, encrypted (`seal.ts`). */
  managementToken: field.nullable(field.string),
  /** The change that removes the account, while the client is removed for it. Absent otherwise. */
  removal: field.optional(field.mixed<IntendedChange>()),
  /** The time from which the sweep looks after the client; null for a client that its account names. */
  dueAt: field.nullable(field.date),
  /** Failed attempts of the sweep, which lengthen the time until the next one. */
  failures: field.number,
  createdAt: field.date,
};
export type ProviderClientDocument = DocumentOf<typeof fields>;

/** The clients of service accounts at other identity providers, from before their registration until they are removed. */
export const ProviderClientModel = defineModel({
  name: 'ProviderClient',
  collection: 'provider_clients',
  fields,
  lifecycle: {
    workspace: { keep: 'a patrol removes the client at its provider once its account is gone' },
    person: { keep: 'the actor in `removal` lives for seconds, and is written to the audit log' },
  },
  indexes: [[{ dueAt: 1 }], [{ clientId: 1, issuer: 1 }]],
});

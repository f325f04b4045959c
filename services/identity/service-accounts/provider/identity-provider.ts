import type { ChangeContext } from '../../../../mixins/changes/change-context.ts';
import type { ServiceAccountDocument } from '../../../../models/service-account.model.ts';

/** The account for which a client is registered. Its own document may not be stored yet. */
export type ClientOwner = Pick<ServiceAccountDocument, '_id' | 'workspaceId'>;
/** The client that an account names. */
export type OwnedClient = ClientOwner & Pick<ServiceAccountDocument, 'clientId' | 'issuer'>;

/** A client with a new secret, and the fields by which an account names the client. */
export interface Registration {
  clientSecret: string;
  fields: Pick<ServiceAccountDocument, 'clientId' | 'issuer' | 'secretHash' | 'credentialId'>;
}

/**
 * The identity provider of service accounts, where each account has a client. Each function throws 503
 * `IDENTITY_PROVIDER_UNAVAILABLE` while the provider cannot be reached.
 */
export interface IdentityProvider {
  /** Registers a client for an account. `current` is the client that the account has had so far. */
  register(owner: ClientOwner, current?: OwnedClient): Promise<Registration>;
  /** Tells that the account names the registered client now. */
  confirm(owner: ClientOwner, registration: Registration): Promise<void>;
  /** Removes the account's client before the account. A crash after the removal is finished with `change`. */
  remove(client: OwnedClient, change: ChangeContext): Promise<void>;
  /** Removes a client that its account does not name any more, at once or as soon as the provider can be reached. */
  release(client: OwnedClient): Promise<void>;
}

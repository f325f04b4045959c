import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import {
  type AuthCredentialDocument,
  AuthCredentialModel,
} from '../../../models/auth-credential.model.ts';

export type StoredAuthCredential = Shown<AuthCredentialDocument, 'reservations' | 'deletion'>;

/**
 * The one way to write credentials. `lastUsedAt`, `reservations` and `deletion` are written directly, because they
 * are no change of the credential.
 */
export const authCredentials = changesOf(AuthCredentialModel, {
  hidden: ['reservations', 'deletion'],
  missing: (id: number) => new Problem(NotFound, `There is no auth credential ${id}.`),
});

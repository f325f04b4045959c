import { invalidField, Problem, problemType } from '../../../contract/problem.ts';

export const CredentialInUse = problemType(
  'CREDENTIAL_IN_USE',
  409,
  'The auth credential is in use',
);

export interface CredentialUser {
  type: 'api-description' | 'configuration-store';
  id: number;
  name: string;
}

/** `users` are the first users, and `more` is the number of the others. */
export function credentialInUse(users: readonly CredentialUser[], more: number): Problem {
  const named = users.map(({ type, id, name }) => `${WORDS[type]} ${id} (${name})`);
  const others = more > 0 ? [`${more} more`] : [];
  return new Problem(
    CredentialInUse,
    `The auth credential is used by ${[...named, ...others].join(', ')}.`,
    { members: { usedBy: users, more } },
  );
}
const WORDS = {
  'api-description': 'API description',
  'configuration-store': 'configuration store',
};

export const contradiction = (field: string) =>
  invalidField(field, 'contradiction', 'is not the one of this auth credential');
export const originsNeeded = () =>
  invalidField('allowedOrigins', 'too_small', 'must have at least 1 item, unless the type is NONE');
export const refusedTokenOrigin = (field: string, origin: string) =>
  invalidField(
    field,
    'origin_not_allowed',
    `the origin ${origin} of the token URL must be among the allowedOrigins`,
  );

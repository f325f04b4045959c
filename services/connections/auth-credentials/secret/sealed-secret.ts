import { timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '../../../../contract/problem.ts';
import { faultsOf, oneEach } from '../../../../contract/zod-faults.ts';
import type { AuthType } from '../../../../models/auth-credential.model.ts';
import type { FieldSealer } from '../../envelope/field-sealer.ts';
import type { StoredAuthCredential } from '../auth-credentials.store.ts';
import { type GivenSecret, TypedSecret } from './secret.ts';
import { StoredSecret } from './stored-secret.ts';

/** The credential that a sealed secret belongs to. */
type Owner = Pick<StoredAuthCredential, '_id' | 'workspaceId'>;

const placeOf = ({ _id, workspaceId }: Owner) => ({ workspaceId, id: _id, field: 'secret' });

/** Checks a secret of a request by its type. Throws 400 with the faults, such as `secret.token`. */
export function parseSecret(authType: AuthType, secret: GivenSecret | undefined): TypedSecret {
  const given = secret === undefined ? { authType } : { authType, secret };
  const parsed = TypedSecret.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalidRequest(oneEach(faultsOf(parsed.error, given, () => 'body')));
}

/** The sealed form of a secret; null for the type without a secret. */
export async function sealSecret(
  sealer: FieldSealer,
  owner: Owner,
  { secret }: TypedSecret,
): Promise<string | null> {
  if (secret === undefined) return null;
  return sealer.sealField(placeOf(owner), JSON.stringify(secret));
}

type SealedCredential = Owner & Pick<StoredAuthCredential, 'authType' | 'sealedSecret'>;

export async function openSecret(
  sealer: FieldSealer,
  credential: SealedCredential,
): Promise<TypedSecret> {
  const { authType, sealedSecret } = credential;
  if (sealedSecret === null) return StoredSecret.parse({ authType });
  const text = await sealer.openField(placeOf(credential), sealedSecret);
  return StoredSecret.parse({ authType, secret: JSON.parse(text) });
}

/** Whether two secrets of the same type are equal. The time does not tell where they differ. */
export function isSameSecret(a: TypedSecret, b: TypedSecret): boolean {
  const [one, other] = [a, b].map(({ secret }) => Buffer.from(JSON.stringify(secret) ?? ''));
  if (!one || !other) return false;
  return one.length === other.length && timingSafeEqual(one, other);
}

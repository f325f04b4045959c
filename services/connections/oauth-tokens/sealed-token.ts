import type { FieldSealer, SealedPlace } from '../envelope/field-sealer.ts';
import type { OAuthCredential } from './access-token.ts';

type Owner = Pick<OAuthCredential, 'id' | 'workspaceId'>;

const placeOf = ({ id, workspaceId }: Owner): SealedPlace => ({
  workspaceId,
  id,
  field: 'access-token',
});

export const sealToken = (sealer: FieldSealer, owner: Owner, value: string): Promise<string> =>
  sealer.sealDerived(placeOf(owner), value);

export const openToken = (sealer: FieldSealer, owner: Owner, sealed: string): Promise<string> =>
  sealer.openField(placeOf(owner), sealed);

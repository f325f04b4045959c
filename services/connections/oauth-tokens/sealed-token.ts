import type { OAuthCredential } from './access-token.ts';

/** The place of a sealed text: a text opens at its own place only. */
export interface SealedPlace {
  workspaceId: number;
  /** The id of the resource. */
  id: number;
  field: string;
}

/** Seals texts with the data key of their workspace (`services/connections/envelope/`). */
export interface FieldSealer {
  sealField(place: SealedPlace, text: string): Promise<string>;
  openField(place: SealedPlace, sealed: string): Promise<string>;
}

type Owner = Pick<OAuthCredential, 'id' | 'workspaceId'>;

const placeOf = ({ id, workspaceId }: Owner): SealedPlace => ({
  workspaceId,
  id,
  field: 'access-token',
});

export const sealToken = (sealer: FieldSealer, owner: Owner, value: string): Promise<string> =>
  sealer.sealField(placeOf(owner), value);

export const openToken = (sealer: FieldSealer, owner: Owner, sealed: string): Promise<string> =>
  sealer.openField(placeOf(owner), sealed);

import type { Actions, Params } from '../../contracts.ts';
import type { FieldSealer, SealedPlace } from './field-sealer.ts';
import { SealedTextError } from './sealed-text-error.ts';

/** Seals secrets that other services store, such as the secret of a webhook. */
export async function sealTexts(
  { workspaceId, texts }: Params<'connections.sealTexts'>,
  sealer: FieldSealer,
): Promise<Actions['connections.sealTexts']['result']> {
  const sealing = texts.map(({ text, ...place }) =>
    sealer.sealField({ workspaceId, ...place }, text),
  );
  return { sealed: await Promise.all(sealing) };
}

/** Opens such secrets for the service that stores them. */
export async function openTexts(
  { texts }: Params<'connections.openTexts'>,
  sealer: FieldSealer,
): Promise<Actions['connections.openTexts']['result']> {
  const opening = texts.map(({ sealed, ...place }) => openIfSealed(sealer, place, sealed));
  return { opened: await Promise.all(opening) };
}

/** Opens a text; null where it was not sealed for this place, or its workspace has no data key. */
export async function openIfSealed(
  sealer: FieldSealer,
  place: SealedPlace,
  sealed: string,
): Promise<string | null> {
  try {
    return await sealer.openField(place, sealed);
  } catch (error) {
    if (error instanceof SealedTextError) return null;
    throw error;
  }
}

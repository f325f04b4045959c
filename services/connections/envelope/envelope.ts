import type { MasterKeys } from '../../../environment/values/master-keys.ts';
import { decrypt, encrypt } from './aes-gcm.ts';
import { DataKeys } from './data-keys.ts';
import type { FieldSealer, SealedPlace } from './field-sealer.ts';
import { SealedTextError } from './sealed-text-error.ts';

/** Seals texts with the data key of their workspace. A text opens at its own place only. */
export class Envelope implements FieldSealer {
  readonly #keys: DataKeys;

  constructor(masterKeys: () => MasterKeys) {
    this.#keys = new DataKeys(masterKeys);
  }

  async sealField(place: SealedPlace, text: string): Promise<string> {
    const key = await this.#keys.getOrMake(place.workspaceId);
    return encrypt(key, textOf(place), Buffer.from(text));
  }

  async sealDerived(place: SealedPlace, text: string): Promise<string> {
    const key = await this.#keys.get(place.workspaceId);
    return encrypt(key, textOf(place), Buffer.from(text));
  }

  /** Throws a `SealedTextError` that names the place where the sealed text is damaged or belongs to another place. */
  async openField(place: SealedPlace, sealed: string): Promise<string> {
    const key = await this.#keys.get(place.workspaceId);
    const bytes = decrypt(key, textOf(place), sealed);
    if (!bytes)
      throw new SealedTextError(`The sealed text at ${textOf(place)} does not open there`);
    return bytes.toString();
  }
}

/** The ids are numbers, so that no two places have the same text. */
const textOf = ({ workspaceId, id, field }: SealedPlace): string => `${workspaceId}/${id}/${field}`;

import { randomBytes } from 'node:crypto';
import { type MasterKeys, readMasterKeys } from '../../environment/values/master-keys.ts';
import { Envelope } from '../../services/connections/envelope/envelope.ts';

/** A master key as `CREDENTIALS_MASTER_KEYS` has it. */
export const newMasterKey = (): string => randomBytes(32).toString('base64');

export function masterKeysOf(...texts: string[]): MasterKeys {
  const keys = readMasterKeys(texts.join(','));
  if (!keys) throw new Error('no master keys');
  return keys;
}

/** The envelope of a process that has just started with these master keys: no data key is in its memory yet. */
export function envelopeOf(...texts: string[]): Envelope {
  const keys = masterKeysOf(...texts);
  return new Envelope(() => keys);
}

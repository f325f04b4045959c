import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { environment } from '../../../environment/environment.ts';
import { type MasterKeys, readMasterKeys } from '../../../environment/values/master-keys.ts';
import { readKeptFile } from '../../../support/kept-file.ts';

/** The master keys: from the environment, or made once and stored in development. */
export const readOwnMasterKeys = (): MasterKeys =>
  environment.CREDENTIALS_MASTER_KEYS ?? keptKeys(environment.DATA_DIR);

function keptKeys(dataDir: string): MasterKeys {
  const file = join(dataDir, 'keys', 'credentials-master-keys');
  const kept = readMasterKeys(readKeptFile(file, makeKey).trim());
  if (!kept) throw new Error(`${file} holds no master keys; without them no secret can be opened`);
  return kept;
}

const makeKey = (): string => randomBytes(32).toString('base64');

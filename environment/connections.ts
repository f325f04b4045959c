import { z } from 'zod';
import { type MasterKeys, readMasterKeys } from './values/master-keys.ts';
import { optional } from './values/text-values.ts';

const masterKeys = z
  .string()
  .transform(readMasterKeys)
  .refine((keys): keys is MasterKeys => keys !== null, {
    error: 'base64 of 32 random bytes, several comma separated, each only once',
  });

/** The variables of credentials. */
export const connectionsVariables = { CREDENTIALS_MASTER_KEYS: optional(masterKeys) };

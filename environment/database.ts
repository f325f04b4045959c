import { z } from 'zod';
import { optional, wholeNumber, withDefault } from './values/text-values.ts';

/** A MongoDB address. The class `URL` rejects the address of a replica set, which has several hosts with ports. */
const mongoAddress = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s/]+(\/\S*)?$/, 'a mongodb:// or mongodb+srv:// address');

/** The shortest and the longest time between two backups, in milliseconds: a second and a week. */
const BACKUP_EVERY_MS = { min: 1_000, max: 7 * 24 * 3600 * 1_000 };

/** The variables of the database: the address of a MongoDB, or the folder of the embedded database and its backups. */
export const databaseVariables = {
  MONGODB_URI: optional(mongoAddress),
  DATA_DIR: withDefault(z.string(), './data'),
  BACKUP_DIR: optional(z.string()),
  BACKUP_EVERY_MS: optional(wholeNumber(BACKUP_EVERY_MS.min, BACKUP_EVERY_MS.max)),
};

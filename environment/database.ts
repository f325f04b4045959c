import { z } from 'zod';
import { optional, withDefault } from './values/text-values.ts';

/** A MongoDB address. The class `URL` rejects the address of a replica set, which has several hosts with ports. */
const mongoAddress = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s/]+(\/\S*)?$/, 'a mongodb:// or mongodb+srv:// address');

/** The variables of the database: the address of a MongoDB, or the folder of the embedded database. */
export const databaseVariables = {
  MONGODB_URI: optional(mongoAddress),
  DATA_DIR: withDefault(z.string(), './data'),
};

import { z } from 'zod';
import { optional, withDefault } from './values/text-values.ts';

/** Not a URL of the WHATWG: the address of a replica set has several hosts, each with a port. */
const mongoAddress = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s/]+(\/\S*)?$/, 'a mongodb:// or mongodb+srv:// address');

/** The database: an address, or the folder of the embedded one. */
export const databaseVariables = {
  MONGODB_URI: optional(mongoAddress),
  DATA_DIR: withDefault(z.string(), './data'),
};

import { z } from 'zod';
import { Id, Name, Timestamp } from '../../../contract/fields.ts';
import { STORE_STATUSES } from '../../../models/configuration-store.model.ts';
import { AuthCredentialSummary } from '../../connections/contract/resources.ts';

/** Characters of a property's key. */
const MAX_KEY_LENGTH = 128;
/** Bytes of a property's value in UTF-8. */
const MAX_VALUE_BYTES = 4 * 1024;
/** Properties of a store. */
export const MAX_PROPERTIES = 1_000;
/** Pairs of a store. */
export const MAX_PAIRS = 500;

/** Text that is kept as given. The database cannot store NUL in keys, and UTF-8 has no lone surrogates. */
const givenText = z
  .string()
  .refine((text) => !text.includes('\0'), 'must not have the character NUL')
  .refine((text) => text.isWellFormed(), 'must not have lone surrogates');

const EXTERNAL_ID = /^(?=.*[^\d])[A-Za-z\d][\w.~-]{0,127}$/;
/** The segment of a path after `/configurations/` that names no store. */
const RESERVED = 'workspace';

/** The name of a store in other systems. A text of digits alone is the store's own id. */
export const ExternalId = z
  .string()
  .regex(
    EXTERNAL_ID,
    'must have 1 to 128 characters of A-Z, a-z, 0-9, ., _, ~ and -, begin with a letter or digit, and not be a number',
  )
  .refine((text) => text !== RESERVED, `must not be "${RESERVED}"`)
  .meta({ description: 'The name of the store in other systems; no number' });

export const PropertyKey = givenText
  .min(1, 'must have at least 1 character')
  .max(MAX_KEY_LENGTH, `must have at most ${MAX_KEY_LENGTH} characters`)
  .meta({ description: 'The name of the property' });
export const PropertyValue = givenText
  .refine(
    (text) => Buffer.byteLength(text) <= MAX_VALUE_BYTES,
    `must have at most ${MAX_VALUE_BYTES} bytes of UTF-8`,
  )
  .meta({ description: `At most ${MAX_VALUE_BYTES} bytes of UTF-8` });

export const StoreStatus = z.enum(STORE_STATUSES).meta({ id: 'ConfigurationStoreStatus' });

export const Property = z
  .strictObject({ id: Id, key: PropertyKey, value: PropertyValue })
  .meta({ id: 'Property' });
export type Property = z.output<typeof Property>;

export const FlowCredentialPair = z
  .strictObject({
    id: Id,
    flowId: Id,
    sourceAuthCredential: AuthCredentialSummary.nullable(),
    destinationAuthCredential: AuthCredentialSummary.nullable(),
  })
  .meta({ id: 'FlowCredentialPair' });
export type FlowCredentialPair = z.output<typeof FlowCredentialPair>;

export const ConfigurationStore = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    externalId: ExternalId,
    name: Name,
    status: StoreStatus,
    flowCredentialPairs: z.array(FlowCredentialPair),
    properties: z.array(Property),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'ConfigurationStore' });
export type ConfigurationStore = z.output<typeof ConfigurationStore>;

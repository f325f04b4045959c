import { z } from 'zod';
import { Id } from '../../../contract/fields.ts';
import { MAX_PAIRS, MAX_PROPERTIES, PropertyKey, PropertyValue } from './resources.ts';

const credentialId = Id.nullable()
  .optional()
  .meta({ description: 'A credential of the workspace; null for none' });

/** The flow and the credentials of a pair, as requests give them. */
export const newPair = {
  flowId: Id,
  sourceAuthCredentialId: credentialId,
  destinationAuthCredentialId: credentialId,
};

/** A credential as an answer shows it. Only its id counts. */
const shownCredential = z
  .strictObject({ id: Id, name: z.string().optional(), authType: z.string().optional() })
  .nullable()
  .optional();

/** A pair as a request gives it, or as an answer shows it. */
const pairToWrite = {
  ...newPair,
  id: Id.optional().meta({ description: 'Not read: a pair keeps its id by its flow' }),
  sourceAuthCredential: shownCredential,
  destinationAuthCredential: shownCredential,
};

export const newProperty = { key: PropertyKey, value: PropertyValue };

/** Refuses a list in which two elements have the same value in a field. The fault names the later element. */
const withoutRepeats =
  <K extends string>(field: K, noun: string) =>
  (elements: readonly Readonly<Record<K, unknown>>[], ctx: z.RefinementCtx): void => {
    const seen = new Set<unknown>();
    for (const [at, element] of elements.entries()) {
      const value = element[field];
      if (seen.has(value)) {
        ctx.addIssue({
          code: 'custom',
          path: [at, field],
          message: `is the ${noun} of another element`,
        });
      }
      seen.add(value);
    }
  };

const pairsOf = <S extends { flowId: typeof Id }>(shape: S) =>
  z
    .array(z.strictObject(shape))
    .max(MAX_PAIRS, `must have at most ${MAX_PAIRS} pairs`)
    .superRefine((pairs, ctx) =>
      withoutRepeats('flowId', 'flow')(pairs as readonly { flowId: number }[], ctx),
    )
    .meta({ description: 'The credentials that flows use with the store, one pair a flow' });

const propertiesOf = <S extends { key: typeof PropertyKey }>(shape: S) =>
  z
    .array(z.strictObject(shape))
    .max(MAX_PROPERTIES, `must have at most ${MAX_PROPERTIES} properties`)
    .superRefine((properties, ctx) =>
      withoutRepeats('key', 'key')(properties as readonly { key: string }[], ctx),
    )
    .meta({ description: 'Values that flows read as `$properties`, one a key' });

export const NewPairs = pairsOf(newPair);
export const PairsToWrite = pairsOf(pairToWrite);
export type PairToWrite = z.output<typeof PairsToWrite>[number];
export const NewProperties = propertiesOf(newProperty);
export const PropertiesToWrite = propertiesOf({
  ...newProperty,
  id: Id.optional().meta({ description: 'Not read: a property keeps its id by its key' }),
});

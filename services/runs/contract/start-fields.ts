import { z } from 'zod';
import { AnyJson, IdText, IntText } from '../../../contract/fields.ts';

/** Milliseconds that a start may wait for its run's end; a longer `wait` is refused. */
export const LONGEST_WAIT_MS = 30_000;

/** Bytes of a run's input as JSON; a longer input is refused. */
export const MAX_INPUT_BYTES = 240 * 1024;

/** A run changes by itself, and no request replaces it. */
export const NO_ETAG = { none: 'runs are followed by their events' } as const;

/** The most characters of a store's external id. */
const LONGEST_EXTERNAL_ID = 128;

/** A configuration store by its id or its external id. Text that is an id in decimal digits names the store of that id. */
export const ConfigurationReference = z
  .union([IdText, z.string().min(1).max(LONGEST_EXTERNAL_ID)], {
    error: 'must be the id or the external id of a configuration store',
  })
  .meta({
    description: 'The id or the external id of the configuration store',
    override: {
      type: ['integer', 'string'],
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      minLength: 1,
      maxLength: LONGEST_EXTERNAL_ID,
    },
  });

/** JSON values of a start's body; more values are refused. An input of 240 KiB has fewer values. */
const INPUT_VALUES = 150_000;

/** The query of a start. */
export const startQuery = {
  wait: IntText(0, LONGEST_WAIT_MS).optional().meta({
    description:
      'How long the answer waits for the end of the run, in milliseconds: 200 with an ended run, otherwise 202 with the run so far',
  }),
};

/** The body of a start. */
export const startBody = {
  input: AnyJson.optional(),
  configuration: ConfigurationReference.nullish().meta({
    description: 'The id or the external id of the configuration store; null for none',
  }),
};

/** The terms of a start: it creates a run, and may wait for its end. */
export const startTerms = {
  uncontended: true,
  bodyOptional: true,
  bodyValues: INPUT_VALUES,
  status: 202,
  timeoutMs: LONGEST_WAIT_MS + 10_000,
  waitParam: 'wait',
} as const;

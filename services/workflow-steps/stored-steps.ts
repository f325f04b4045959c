import { hashOf } from '../../support/hash.ts';
import type { Step, StoredStep } from './step-fields.ts';

/** A step as it is compared: two definitions with the same hash are equal. */
export type ComparedStep = Pick<StoredStep, 'key' | 'hash'>;

/** Makes the step that is stored. The definition is kept as text: `$` keys, the order of keys and any depth stay. */
export function storeStep({ key, definition }: Step): StoredStep {
  const json = JSON.stringify(definition);
  return { key, definition: json, hash: hashOf(json) };
}

export const showStep = ({ key, definition }: StoredStep): Step => ({
  key,
  definition: JSON.parse(definition) as Step['definition'],
});

/** Whether two lists have the same steps in the same order. */
export const areSameSteps = (one: readonly ComparedStep[], other: readonly ComparedStep[]) =>
  one.length === other.length &&
  one.every(({ key, hash }, at) => key === other[at]?.key && hash === other[at]?.hash);

/** The hash of a list of steps: equal lists have equal hashes. */
export const hashOfSteps = (steps: readonly ComparedStep[]): string =>
  hashOf(JSON.stringify(steps.map(({ key, hash }) => [key, hash])));

/** UTF-8 bytes of all definitions. */
export const definitionBytesOf = (steps: readonly Pick<StoredStep, 'definition'>[]): number =>
  steps.reduce((sum, { definition }) => sum + Buffer.byteLength(definition), 0);

/** The steps as a flow file in JSON, on one line: they are the `do` of the file. */
export const flowFileOf = (steps: readonly Pick<StoredStep, 'key' | 'definition'>[]): string =>
  `{"do":[${steps.map(({ key, definition }) => `{${JSON.stringify(key)}:${definition}}`).join(',')}]}`;

/** The stored fields of a step that has further ones. */
export const storedStep = ({ key, definition, hash }: StoredStep): StoredStep => ({
  key,
  definition,
  hash,
});

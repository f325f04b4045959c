import { hashOf } from '../../support/hash.ts';
import type { Params } from '../contracts.ts';
import type { Raise } from './raise-issue.ts';

/**
 * Makes the raise of an effect. The issue of an effect without a fingerprint is found by the effect's key, which no
 * other effect has.
 */
export const raiseOf = ({ key, fingerprint, ...raise }: Params<'issues.raise'>): Raise => ({
  ...raise,
  raiseId: hashOf(`effect\n${key}`),
  fingerprint: hashOf(fingerprint === null ? `effect\n${key}` : `fingerprint\n${fingerprint}`),
});

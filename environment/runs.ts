import { AllowList } from '@workspace-automation/outbound-http';
import { list, wholeNumber, withDefault } from './values/text-values.ts';

const allowList = list.refine(isAllowList, 'CIDR ranges or host:port targets, comma separated');

function isAllowList(entries: readonly string[]): boolean {
  try {
    return new AllowList(entries) !== undefined;
  } catch {
    return false; // an entry is neither a range nor a target
  }
}

/** The variables of the engine of runs. */
export const runsVariables = {
  OUTBOUND_ALLOW: withDefault(allowList, ''),
  RUN_CONCURRENCY: withDefault(wholeNumber(1, 1_000), '48'),
  WORKSPACE_RUN_CONCURRENCY: withDefault(wholeNumber(1, 100_000), '100'),
  RUN_RETENTION_DAYS: withDefault(wholeNumber(1, 36_500), '30'),
};

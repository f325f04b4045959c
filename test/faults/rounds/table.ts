import { bulkRetries } from './bulk-retries.ts';
import { changes } from './changes.ts';
import { deliveries } from './deliveries/delivery-rounds.ts';
import { edits } from './edits.ts';
import { recordings } from './recordings.ts';
import { restores } from './restores/restore-rounds.ts';
import { runScenarios } from './runs/run-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { triggers } from './triggers/trigger-rounds.ts';

/** The scenarios by name. Lanes take them in this order: those first whose rounds take longest. */
export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(
  Object.entries({
    triggers,
    deliveries,
    ...runScenarios,
    bulkRetries,
    changes,
    recordings,
    restores,
    edits,
  }),
);

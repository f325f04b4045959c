import type { Compiled } from '../plan.ts';
import type { AnalysisCache } from './analysis-cache.ts';
import { Context } from './context.ts';
import { readFlow } from './flow.ts';
import { readJson } from './json-tree.ts';
import { warnOfSecrets } from './secrets/scan-file.ts';
import { readYaml } from './yaml.ts';

/**
 * Checks a flow file (YAML 1.2 or JSON, in this service's profile of the CNCF Serverless Workflow DSL 1.0.0) and makes
 * its plan. It reports all faults at once; `name` is the default of `document.name`, and `analyses` are those of earlier
 * files of the tenant. `LIMITS` bound the work, apart from JSONata's parser: call `compile` only in a process whose
 * memory and time are limited.
 */
export function compile(
  text: string,
  { name = 'flow', analyses }: { name?: string; analyses?: AnalysisCache } = {},
): Compiled {
  const context = new Context(text, analyses);
  const read = readJson(text, context.faults);
  const root = read === undefined ? readYaml(text, context.faults) : read;
  const plan = root ? readFlow(root, name, context) : undefined;
  warnOfSecrets(root, context);
  const faults = context.listFaults(root);
  const warnings = context.listWarnings();
  return plan && faults.length === 0
    ? { plan, faults: [], warnings }
    : { plan: null, faults, warnings };
}

import type { Compiled } from '../plan.ts';
import { Context } from './context.ts';
import { readFlow } from './flow.ts';
import { readYaml } from './yaml.ts';

/**
 * Checks a flow file (YAML 1.2 or JSON, in this service's profile of the CNCF Serverless Workflow
 * DSL 1.0.0) and makes the plan that the interpreter follows. All faults are reported at once;
 * nothing is ever thrown for what stands in the text. `name` is what `document.name` is without
 * one. The work is bounded by `LIMITS` apart from what JSONata's parser does to one expression:
 * run it where memory and time are limited.
 */
export function compile(text: string, { name = 'flow' }: { name?: string } = {}): Compiled {
  const context = new Context(text);
  const root = readYaml(text, context.faults);
  const plan = root ? readFlow(root, name, context) : undefined;
  const faults = context.listFaults();
  return plan && faults.length === 0 ? { plan, faults: [] } : { plan: null, faults };
}

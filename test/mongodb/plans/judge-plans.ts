import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN_PLANS } from './known-plans.ts';
import type { RecordedPlan } from './plan-recorder.ts';
import { judgeRoutes } from './routes.ts';

/**
 * Compares the recorded plans and routes with the known ones and returns the faults, each as text. Known ones that no
 * command of a whole run had are faults as well.
 */
export function judgePlans(folder: string, isWhole: boolean): string[] {
  const plans = readPlans(folder);
  const found = plans.filter(({ finding }) => finding);
  const unknown = found.filter(({ shape, finding }) => KNOWN_PLANS[shape]?.finding !== finding);
  const met = new Set(found.map(({ shape }) => shape));
  const gone = isWhole ? Object.keys(KNOWN_PLANS).filter((shape) => !met.has(shape)) : [];
  process.stdout.write(
    `${plans.length} shapes of commands, ${found.length - unknown.length} with a known plan\n`,
  );
  return [
    ...unknown.map(({ shape, finding, stages }) => `${finding}: ${shape}\n  ${stages}`),
    ...gone.map((shape) => `known-plans.ts lists a plan that no command had: ${shape}`),
    ...judgeRoutes(plans, isWhole),
  ];
}

/** The plan of each shape: the best that any engine of the run had. */
function readPlans(folder: string): RecordedPlan[] {
  const plans = readdirSync(folder)
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line) as RecordedPlan);
  const worstFirst = plans.sort((a, b) => Number(!a.finding) - Number(!b.finding));
  return [...new Map(worstFirst.map((plan) => [plan.shape, plan])).values()];
}

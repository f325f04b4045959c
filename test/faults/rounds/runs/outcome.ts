import type { Person } from '../../../helpers/people.ts';
import { type RunAnswer, stepsOf } from '../../../helpers/runs.ts';
import type { Fault, StartedRun } from '../../checks.ts';

/**
 * What a run did, as text that is equal for all runs of the flow: its end, its output and the last status of each
 * visit of each task. Attempts are left out: a target that refuses a first request does not refuse its repeat.
 */
export async function outcomeOf(person: Person, run: RunAnswer, tag: string): Promise<string> {
  const steps = (await stepsOf(person, run.id)).toSorted((a, b) => a.attempt - b.attempt);
  const visits = new Map(
    steps.map(({ path, iteration, visit, status }) => [`${path} ${iteration} ${visit}`, status]),
  );
  const { status, output, error } = run;
  const told = { status, output, error: error?.title ?? null, visits: [...visits].sort() };
  return JSON.stringify(told).replaceAll(tag, 'TAG');
}

/** Compares a run with the undisturbed run of its flow. */
export async function faultsOfOutcome(
  person: Person,
  { id, tag, flow }: StartedRun,
  end: RunAnswer,
  undisturbed: string | undefined,
): Promise<Fault[]> {
  const outcome = await outcomeOf(person, end, tag);
  return outcome === undisturbed
    ? []
    : [`run ${id} (${flow.name}) gave ${outcome}, undisturbed ${undisturbed}`];
}

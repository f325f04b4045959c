import { formatPointer } from '../../contract/format-pointer.ts';
import { type FieldFault, invalidField, invalidRequest, Problem } from '../../contract/problem.ts';
import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { Params } from '../contracts.ts';
import type { StepChecks } from '../workflow-steps/check-steps.ts';
import {
  MAX_DEFINITION_BYTES,
  type StepProblem,
  type StoredStep,
  type WorkflowSteps,
} from '../workflow-steps/step-fields.ts';
import { StepsTooComplex, staleRevision } from '../workflow-steps/step-problems.ts';
import { areSameSteps, definitionBytesOf, storeStep } from '../workflow-steps/stored-steps.ts';
import { publication } from './publication.ts';
import { getSteps, showSteps } from './published-steps.ts';
import { type StoredWorkflow, workflows } from './workflows.store.ts';

type StepsToSet = Params<'workflows.setSteps'>;

/** Publishes steps in place of the published ones. Equal steps change nothing. */
export async function setSteps(
  workflow: StoredWorkflow,
  { steps: wanted, expectedRevision }: StepsToSet,
  change: ChangeContext,
  checks: Pick<StepChecks, 'problemsOf'>,
): Promise<WorkflowSteps> {
  assertDistinct(wanted);
  const steps = wanted.map(storeStep);
  assertWithinLimit(steps);
  if (!areSameSteps(steps, workflow.steps)) {
    const problems = await checks.problemsOf(workflow.workspaceId, steps);
    if (problems.length) throw invalidSteps(problems, wanted);
  }
  const decide = (current: StoredWorkflow) => {
    const { publishedRevision: revision } = current;
    if (expectedRevision !== undefined && expectedRevision !== revision) {
      throw staleRevision(expectedRevision, revision);
    }
    return areSameSteps(steps, current.steps) ? null : publication(current, steps, change.actor);
  };
  const show = ({ _id }: StoredWorkflow) => getSteps(_id);
  const { publishedRevision } = await workflows.change(workflow, decide, change, show);
  return showSteps({ publishedRevision, steps });
}

function assertDistinct(steps: StepsToSet['steps']): void {
  const keys = new Map<string, number>();
  const faults = steps.flatMap(({ key }, at): FieldFault[] => {
    const first = keys.get(key);
    if (first === undefined) {
      keys.set(key, at);
      return [];
    }
    const message = `is the key of step ${first} already`;
    return [{ in: 'body', path: `steps.${at}.key`, code: 'duplicate', message }];
  });
  if (faults.length) throw invalidRequest(faults);
}

function assertWithinLimit(steps: readonly StoredStep[]): void {
  const bytes = definitionBytesOf(steps);
  if (bytes <= MAX_DEFINITION_BYTES) return;
  const message = `all definitions take at most ${MAX_DEFINITION_BYTES} bytes of JSON together, not ${bytes}`;
  throw invalidField('steps', 'too_big', message);
}

/** The 400 of steps that are no valid flow file together, with the place of each fault in the body. */
function invalidSteps(problems: readonly StepProblem[], wanted: StepsToSet['steps']): Problem {
  const places = new Map(wanted.map(({ key }, at) => [key, at]));
  const errors = problems.map(({ key, path, code, message }): FieldFault => {
    const at = key === null ? undefined : places.get(key);
    const place = at === undefined ? 'steps' : `steps.${at}.definition${formatPointer(path)}`;
    return { in: 'body', path: place, code, message };
  });
  const complex = errors.find(({ code }) => code === 'FLOW_TOO_COMPLEX');
  if (!complex) return invalidRequest(errors);
  return new Problem(StepsTooComplex, `steps: ${complex.message}`, { errors });
}

import { invalidField, Problem, problemType } from '../../contract/problem.ts';

export const HasLiveExecutions = problemType(
  'EXECUTIONS_LIVE',
  409,
  'Executions of the workflow have not ended',
);

export const contradiction = (field: string): Problem =>
  invalidField(field, 'contradiction', 'is not the one of this workflow');
export const hasLiveExecutions = (live: number): Problem =>
  new Problem(
    HasLiveExecutions,
    `The workflow has executions that have not ended (${live}): wait for them, or delete with cancel=true.`,
  );

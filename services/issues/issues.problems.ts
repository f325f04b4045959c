import { invalidField, NotFound, Problem } from '../../contract/problem.ts';

export const noIssue = (id: number) =>
  new Problem(NotFound, `There is no issue ${id} in this workspace.`);
export const notAssignable = (field: string, userId: number) =>
  invalidField(field, 'not_a_member', `user ${userId} is not a member of the workspace`);
export const contradiction = (field: string, message: string) =>
  invalidField(field, 'contradiction', message);

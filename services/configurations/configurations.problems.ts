import { Archived } from '../../contract/archived.ts';
import { invalidField, NotFound, Problem, problemType } from '../../contract/problem.ts';

export const ExternalIdTaken = problemType(
  'EXTERNAL_ID_TAKEN',
  409,
  'Another store of the workspace has this external id',
);

export const noStore = (id: number) =>
  new Problem(NotFound, `There is no configuration store ${id}.`);
export const externalIdTaken = () =>
  new Problem(ExternalIdTaken, 'Another store of the workspace has this external id.');
export const archived = () =>
  new Problem(Archived, 'An archived store is read-only: restore it first.');
export const noArchivedStore = (name: string) =>
  new Problem(NotFound, `There is no archived configuration store ${name}.`);
export const noActiveStore = (name: string) =>
  new Problem(NotFound, `There is no configuration store ${name}.`);
export const contradiction = (field: string, message: string) =>
  invalidField(field, 'contradiction', message);
export const noReference = (field: string, message: string) =>
  invalidField(field, 'not_in_workspace', message);
export const tooLarge = (field: string, message: string) => invalidField(field, 'too_big', message);

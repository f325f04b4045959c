import { problemType } from './problem.ts';

/** The configuration store is read-only, and no run starts with it. */
export const Archived = problemType('ARCHIVED', 409, 'The configuration store is archived');

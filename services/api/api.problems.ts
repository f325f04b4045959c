import { problemType } from '../../contract/problem.ts';

export const NotReady = problemType('NOT_READY', 503, 'Not ready for requests');

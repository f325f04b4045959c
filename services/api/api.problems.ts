import { problemType } from '../../contract/problem.ts';

export const NotAcceptable = problemType(
  'NOT_ACCEPTABLE',
  406,
  'The client accepts no form of the answer',
);
export const NotReady = problemType('NOT_READY', 503, 'Not ready for requests');

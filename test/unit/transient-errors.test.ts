import { Errors } from 'moleculer';
import { NotFound, Problem, Unavailable } from '../../contract/problem.ts';
import { isTransientError } from '../../support/transient-errors.ts';

const action = 'connections.openTexts';

test.each([
  ['an unavailable service', new Problem(Unavailable, 'The database cannot be reached.')],
  ['a service that no process has', new Errors.ServiceNotFoundError({ action })],
  ['a process that stops', new Errors.ServiceNotAvailableError({ action, nodeID: 'a' })],
  ['a call without an answer', new Errors.RequestTimeoutError({ action, nodeID: 'a' })],
  ['a call past its deadline', new Errors.RequestSkippedError({ action, nodeID: 'a' })],
  [
    'a full queue',
    new Errors.QueueIsFullError({ action, nodeID: 'a', service: 'x', size: 1, limit: 1 }),
  ],
])('%s is transient', (_name, error) => {
  expect(isTransientError(error)).toBe(true);
});

test.each([
  ['a refusal', new Problem(NotFound, 'There is none.')],
  ['a defect', new TypeError('x is undefined')],
  [
    'an error of a handler',
    new Errors.MoleculerServerError('The response is too large.', 500, 'X'),
  ],
  ['a number', 503],
])('%s is not transient', (_name, error) => {
  expect(isTransientError(error)).toBe(false);
});

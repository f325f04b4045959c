import { Errors } from 'moleculer';
import { DeadlinePassed, Problem, RequestTimeout } from '../../../contract/problem.ts';
import { problemAnswer } from '../../../mixins/gateway/problem-response.ts';

const problems = new Map([[RequestTimeout.code, RequestTimeout]]);

it('answers a slow client with the problem of its operation', () => {
  const { type, detail } = problemAnswer(new Problem(RequestTimeout, 'Too slow.'), problems);
  expect([type, detail]).toEqual([RequestTimeout, 'Too slow.']);
});

it('answers a call that was lost with 504, and names no action', () => {
  const lost = new Errors.RequestTimeoutError({ action: 'assistant.upload', nodeID: 'a' });
  const { type, detail } = problemAnswer(lost, problems);
  expect(type).toBe(DeadlinePassed);
  expect(detail).not.toContain('assistant');
});

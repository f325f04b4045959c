import { failureOf, retryAfterOf } from '../../../services/assistant/model/classify-failure.ts';
import { ModelFailure } from '../../../services/assistant/model/model-failure.ts';

const KEY = 'sk-a-key-that-a-server-may-repeat-0123456789';
const response = (statusCode: number | undefined, responseBody = '', headers = {}) =>
  Object.assign(new Error(KEY), {
    name: 'AI_APICallError',
    statusCode,
    responseBody,
    responseHeaders: headers,
  });

it.each<[string, unknown, string, boolean]>([
  ['429', response(429), 'busy', true],
  ['500', response(500), 'unavailable', true],
  ['503', response(503), 'unavailable', true],
  ['408', response(408), 'unavailable', true],
  ['a server that is not there', response(undefined), 'unreachable', true],
  ['400', response(400), 'refused', false],
  ['401', response(401, KEY), 'refused', false],
  [
    'a context that is too long',
    response(400, 'context_length_exceeded'),
    'context-too-long',
    false,
  ],
  ['413', response(413), 'context-too-long', false],
  ['a redirection', response(302), 'broken', false],
  ['an answer that is none', response(200), 'broken', false],
  ['an error in the stream', { statusCode: 503, message: 'overloaded' }, 'unavailable', true],
  ['anything else', new TypeError(KEY), 'broken', false],
])('%s', (_what, error, kind, isTemporary) => {
  const failure = failureOf(error);
  expect([failure.kind, failure.isTemporary]).toEqual([kind, isTemporary]);
  expect(JSON.stringify([failure.message, failure])).not.toContain(KEY);
});

it('a bound of the response is found among the causes', () => {
  const own = new ModelFailure('too-large');
  expect(failureOf(new Error('fetch failed', { cause: new Error('x', { cause: own }) }))).toBe(own);
});

it('the time that a server names is seconds or a date', () => {
  const now = Date.parse('2026-01-31T09:30:00Z');
  expect(retryAfterOf('7', now)).toBe(7_000);
  expect(retryAfterOf('Sat, 31 Jan 2026 09:31:00 GMT', now)).toBe(60_000);
  expect(retryAfterOf('Sat, 31 Jan 2026 09:29:00 GMT', now)).toBe(0);
  expect(retryAfterOf('soon', now)).toBeUndefined();
  expect(retryAfterOf(undefined, now)).toBeUndefined();
});

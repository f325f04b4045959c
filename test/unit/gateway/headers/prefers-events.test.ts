import { prefersEvents } from '../../../../mixins/gateway/headers/prefers-events.ts';

test.each([
  ['text/event-stream', true],
  ['Text/Event-Stream', true],
  ['text/event-stream, */*', true],
  ['text/event-stream;q=0.9, application/json;q=0.5', true],
  ['application/json;q=0.1, text/*', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', true],
  ['application/json', false],
  ['application/json, text/event-stream', false],
  ['text/event-stream, application/json', false],
  ['text/event-stream;q=0', false],
  ['text/event-stream;q=2', false],
  ['text/event-stream;q=0.4, application/json;q=0.5', false],
])('Accept: %s', (accept, expected) => {
  expect(prefersEvents(accept)).toBe(expected);
});

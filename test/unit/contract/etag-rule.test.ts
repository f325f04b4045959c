import type { ActionContract } from '../../../contract/contract.ts';
import { assertEtag, hasEtag, takesIfMatch } from '../../../contract/etag-rule.ts';

const base: ActionContract = { summary: '', access: { who: 'person' }, result: null };

test.each<Partial<ActionContract>>([
  { route: 'GET /boxes/:id' },
  { route: 'PUT /boxes/:id' },
  { route: 'DELETE /boxes/:id' },
  { route: 'POST /boxes', etag: true },
])('%j is refused when the service starts', (changes) => {
  expect(() => assertEtag('boxes.one', { ...base, ...changes })).toThrow('boxes.one');
});

test.each<Partial<ActionContract>>([
  {},
  { route: 'POST /boxes' },
  { route: 'GET /boxes', format: 'page' },
  { route: 'GET /boxes', access: { who: 'public' } },
  { route: 'GET /boxes/:id', etag: true },
  { route: 'PUT /boxes/:id', etag: { none: 'no GET shows it' } },
])('%j is allowed', (changes) => {
  expect(() => assertEtag('boxes.one', { ...base, ...changes })).not.toThrow();
});

test('only a PUT or DELETE with an ETag compares If-Match', () => {
  const rules = [
    { route: 'GET /b', etag: true },
    { route: 'PUT /b', etag: true },
    { route: 'DELETE /b', etag: true },
    { route: 'PUT /b', etag: { none: 'no GET shows it' } },
  ] as const;
  expect(rules.map(takesIfMatch)).toEqual([false, true, true, false]);
  expect(rules.map(hasEtag)).toEqual([true, true, true, false]);
});

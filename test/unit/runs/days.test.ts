import { daysBetween } from '../../../services/runs/statistics/days.ts';

const naming = (path: string, code: string) =>
  expect.objectContaining({
    data: { errors: [expect.objectContaining({ in: 'query', path, code })] },
  });

it('are the last thirty up to `to`, today unless it is given', () => {
  expect(daysBetween({}, '2026-03-01')).toHaveLength(30);
  expect(daysBetween({}, '2026-03-01').at(-1)).toBe('2026-03-01');
  expect(daysBetween({ to: '1970-01-01' }).slice(0, 1)).toEqual(['1969-12-03']);
  expect(daysBetween({ to: '9999-12-31' })).toHaveLength(30);
});

it.each([
  [{ to: '0000-01-01' }, 'to'],
  [{ to: '0000-01-29' }, 'to'],
  [{ from: '0000-01-01', to: '1970-06-01' }, 'from'],
])('before anything ran are refused: %j', (given, path) => {
  expect(() => daysBetween(given)).toThrow(naming(path, 'too_early'));
});

it('may not be more than 366, nor run backwards', () => {
  const to = '2026-01-01';
  expect(() => daysBetween({ from: '2024-01-01', to })).toThrow(naming('from', 'too_long'));
  expect(() => daysBetween({ from: '2026-01-02', to })).toThrow(naming('from', 'after_to'));
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeBound, FIGURES, type Figure, isWithin } from '../../bench/figures.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/performance.md'), 'utf8');

describe('the figures of the bench', () => {
  test('stand in the documentation with their bounds, and no others do', () => {
    const [, table = ''] = page.split(/^## Figures$/m);
    const rows = [...table.matchAll(/^\| (?!figure )([^|]+?) \| ((?:at|exactly) [^|]+?) \|/gm)];
    expect(rows.map(([, name, bound]) => [name, bound])).toEqual(
      Object.values(FIGURES).map((figure) => [figure.name, describeBound(figure)]),
    );
  });

  test('are within their bounds at the bound itself, and no value is within all', () => {
    const least: Figure = { name: '', atLeast: 1 };
    const most: Figure = { name: '', atMost: 1 };
    expect([0.99, 1, 1.01].map((value) => isWithin(least, value))).toEqual([false, true, true]);
    expect([0.99, 1, 1.01].map((value) => isWithin(most, value))).toEqual([true, true, false]);
    expect(isWithin({ name: '', exactly: 2 }, 2.02)).toBe(false);
    for (const figure of Object.values(FIGURES)) expect(isWithin(figure, Number.NaN)).toBe(false);
  });
});

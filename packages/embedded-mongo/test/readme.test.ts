import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPRESSIONS } from '../aggregation/expression.ts';
import { ACCUMULATORS } from '../aggregation/group-accumulators.ts';
import { STAGE_NAMES } from '../aggregation/pipeline.ts';
import { FIRST_STAGES } from '../commands/first-stages.ts';
import { LAST_STAGES } from '../commands/output.ts';
import { COMMANDS } from '../commands/registry.ts';
import { UPDATE_OPERATORS } from '../update/operators.ts';
import { QUERY_OPERATORS } from './manual/queries.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

/** The names in the first paragraph under a heading. */
function listed(heading: string): string[] {
  const section = readme.split(`### ${heading}\n\n`)[1] ?? '';
  const [paragraph = ''] = section.split('\n\n');
  return [...paragraph.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '').sort();
}

describe('the README', () => {
  it.each([
    ['Commands', Object.keys(COMMANDS)],
    ['Update operators', [...UPDATE_OPERATORS.keys()]],
    ['Expressions', EXPRESSIONS],
    ['Accumulators', ACCUMULATORS],
    ['Query operators', QUERY_OPERATORS.map(([name]) => name)],
  ])('lists all there is: %s', (heading, names) => {
    expect(listed(heading)).toEqual([...names].sort());
  });

  it('lists all stages', () => {
    const names = [...STAGE_NAMES, ...FIRST_STAGES.keys(), ...LAST_STAGES];
    expect(listed('Stages').filter((name) => name.startsWith('$'))).toEqual(names.sort());
  });
});

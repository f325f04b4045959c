import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPRESSIONS } from '../aggregation/expression.ts';
import { ACCUMULATORS } from '../aggregation/group-accumulators.ts';
import { STAGE_NAMES } from '../aggregation/pipeline.ts';
import { toDocument } from '../bson/values.ts';
import { FIRST_STAGES } from '../commands/first-stages.ts';
import { LAST_STAGES } from '../commands/output.ts';
import { COMMANDS } from '../commands/registry.ts';
import { compileFilter } from '../query/match.ts';
import { UPDATE_OPERATORS } from '../update/operators.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

/** The names in the first paragraph under a heading. */
function listed(heading: string): string[] {
  const section = readme.split(`### ${heading}\n\n`)[1] ?? '';
  const [paragraph = ''] = section.split('\n\n');
  return [...paragraph.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '').sort();
}

/** All of MongoDB 7. */
const ALL_OPERATORS =
  '$eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists $type $all $elemMatch $size $mod $regex $options $bitsAllSet $bitsAnySet $bitsAllClear $bitsAnyClear $expr $comment $where $text $near $nearSphere $geoWithin $geoIntersects $jsonSchema $minDistance $maxDistance $rand $natural'.split(
    ' ',
  );

/** Whether it is known, as a condition on a field or at the top, with whatever argument. */
function isAccepted(operator: string): boolean {
  const beside = operator === '$options' ? { $regex: 'a' } : {};
  const filters = [{ a: { ...beside, [operator]: 'a' } }, { [operator]: 'a' }];
  return filters.some((filter) => {
    try {
      compileFilter(toDocument(filter));
      return true;
    } catch (error) {
      return !/unknown (top level )?operator|not supported/.test((error as Error).message);
    }
  });
}

describe('the README', () => {
  it.each([
    ['Commands', Object.keys(COMMANDS)],
    ['Update operators', [...UPDATE_OPERATORS.keys()]],
    ['Expressions', EXPRESSIONS],
    ['Accumulators', ACCUMULATORS],
    ['Query operators', ALL_OPERATORS.filter(isAccepted)],
  ])('lists all there is: %s', (heading, names) => {
    expect(listed(heading)).toEqual([...names].sort());
  });

  it('lists all stages', () => {
    const names = [...STAGE_NAMES, ...FIRST_STAGES.keys(), ...LAST_STAGES];
    expect(listed('Stages').filter((name) => name.startsWith('$'))).toEqual(names.sort());
  });
});

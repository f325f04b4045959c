import { EXPRESSIONS as KNOWN_EXPRESSIONS } from '../../aggregation/expression.ts';
import { ACCUMULATORS as KNOWN_ACCUMULATORS } from '../../aggregation/group-accumulators.ts';
import { STAGE_NAMES } from '../../aggregation/pipeline.ts';
import { type Literal, toValue } from '../../bson/values.ts';
import { FIRST_STAGES } from '../../commands/first-stages.ts';
import { LAST_STAGES } from '../../commands/output.ts';
import {
  ACCUMULATORS,
  CONVERSIONS,
  EXPRESSIONS,
  FORMATS,
  REFUSED_ACCUMULATORS,
  REFUSED_FORMATS,
  REFUSED_STAGES,
  REFUSED_VARIABLES,
  STAGES,
} from './aggregation.ts';
import { type Fields, manualEngine, piped, sorted } from './helper.ts';

const { expectRefusal, found } = manualEngine();

/** What an expression yields for the first document; undefined when it yields nothing. */
async function valueIn(expression: Literal): Promise<Literal> {
  const [one] = await found(piped({ $match: { _id: 1 } }, { $project: { x: expression } }));
  return one?.get('x');
}
const computed = (expression: Literal): Fields => piped({ $project: { x: expression } });

describe('expressions', () => {
  const refused = EXPRESSIONS.filter((name) => !KNOWN_EXPRESSIONS.includes(name));

  it.each(refused)('%s is refused as not supported', (name) =>
    expectRefusal(`${name} is not supported`, 238, computed({ [name]: 1 })),
  );

  it.each(['$nope', '$top', '$push', '$rank', '$shift', '$derivative'])(
    '%s is no expression',
    (name) => expectRefusal(`Unrecognized expression '${name}'`, 168, computed({ [name]: 1 })),
  );

  it('are those of the manual', () => {
    expect(KNOWN_EXPRESSIONS.filter((name) => !EXPRESSIONS.includes(name))).toEqual([]);
  });

  const date = new Date('2020-03-05T06:07:08.009Z');
  const written = (format: string): Fields => ({
    $dateToString: { date, format, timezone: '+05:30' },
  });

  it.each(FORMATS)('the format character %s works', async (format, text) => {
    expect(await valueIn(written(format))).toBe(text);
  });

  it.each(REFUSED_FORMATS)('the format character %s is refused by %d', (format, code) =>
    expectRefusal(format, code, computed(written(format))),
  );

  it.each(CONVERSIONS)('$convert knows %s as %d', async (name, number, input, wanted) => {
    for (const to of [name, number])
      expect(await valueIn({ $convert: { input, to } })).toEqual(toValue(wanted));
  });

  it.each(['$$ROOT._id', '$$CURRENT._id'])('the variable %s works', async (name) => {
    expect(await valueIn(name)).toBe(1);
  });

  it('the variables $$NOW and $$REMOVE work', async () => {
    expect(await valueIn('$$NOW')).toBeInstanceOf(Date);
    expect(await valueIn('$$REMOVE')).toBeUndefined();
  });

  it.each(REFUSED_VARIABLES)('the variable %s is refused by %d', (name, code) =>
    expectRefusal(name.slice(2), code, computed(name)),
  );
});

describe('accumulators', () => {
  const grouped = (accumulator: Fields): Fields =>
    piped({ $sort: { _id: 1 } }, { $group: { _id: null, x: accumulator } });

  it.each(ACCUMULATORS)('%s works', async (name, argument, wanted) => {
    const [group] = await found(grouped({ [name]: argument }));
    expect(group?.get('x')).toEqual(toValue(wanted));
  });

  it.each(REFUSED_ACCUMULATORS)('%s is refused by %d', (name, code) =>
    expectRefusal(name, code, grouped({ [name]: 1 })),
  );

  it('have an example each', () => {
    expect(sorted(ACCUMULATORS.map(([name]) => name))).toEqual(sorted(KNOWN_ACCUMULATORS));
  });
});

describe('stages', () => {
  it.each(STAGES)('%s works', async (name, argument, count) => {
    const command = piped({ [name]: argument });
    const on = name === '$documents' ? 1 : 'c';
    expect(await found({ ...command, aggregate: on })).toHaveLength(count);
  });

  it.each(REFUSED_STAGES)('%s is refused by %d', async (name, code) => {
    await expectRefusal(name, code, piped({ [name]: {} }));
    if (name !== '$nope')
      await expectRefusal(name, code, { ...piped({ [name]: {} }), aggregate: 1 });
    await expectRefusal(name, code, piped({ $match: {} }, { [name]: {} }));
    await expectRefusal(name, code, piped({ $facet: { x: [{ [name]: {} }] } }));
    await expectRefusal(
      name,
      code,
      piped({ $unionWith: { coll: 'c', pipeline: [{ [name]: {} }] } }),
    );
  });

  it('have an example each', () => {
    const known = [...STAGE_NAMES, ...FIRST_STAGES.keys(), ...LAST_STAGES];
    expect(sorted(STAGES.map(([name]) => name))).toEqual(sorted(known));
  });

  it('$documents needs no collection', () =>
    expectRefusal('$documents', 73, piped({ $documents: [] })));
});

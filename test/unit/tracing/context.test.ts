import {
  childOf,
  currentTrace,
  inTrace,
  newTraceparent,
  readTraceparent,
  traceFields,
} from '../../../support/tracing/context.ts';

const GIVEN = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a traceparent', () => {
  it('is taken as it is', () => {
    expect(readTraceparent(GIVEN)).toBe(GIVEN);
  });

  it.each([
    'cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-adds',
  ])('of a version to come is read as far as it is known: %s', (header) => {
    expect(readTraceparent(header)).toBe(GIVEN);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
    'cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more',
    `${GIVEN}, ${GIVEN}`,
    `${GIVEN}\r\nx: y`,
  ])('is none: %j', (header) => {
    expect(readTraceparent(header)).toBeNull();
  });

  it('is made anew, and no two are alike', () => {
    const made = Array.from({ length: 1_000 }, newTraceparent);
    expect(new Set(made).size).toBe(1_000);
    expect(made.every((one) => readTraceparent(one) === one)).toBe(true);
  });

  it('keeps its trace and its flags in a child, and nothing else', () => {
    const child = childOf(GIVEN);
    expect(child).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-01$/);
    expect(child).not.toBe(GIVEN);
  });

  it('goes along with work that awaits, and does not leave it', async () => {
    const seen = await inTrace(GIVEN, async () => {
      await Promise.resolve();
      return currentTrace();
    });
    expect(seen).toBe(GIVEN);
    expect(currentTrace()).toBeUndefined();
  });

  it('is trace and span in the log', () => {
    expect(traceFields(GIVEN)).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
    });
  });
});

import { z } from 'zod';
import { type ResultHeaders, splitResult } from '../../../contract/result-headers.ts';
import { EXPOSED } from '../../../mixins/gateway/headers/cors.ts';
import { operations } from '../../e2e/permissions-matrix.ts';

const rule: ResultHeaders = {
  body: z.strictObject({ id: z.int() }),
  fields: { count: { header: 'X-Count', type: z.int(), description: 'How many there are' } },
};

describe('a result', () => {
  it('is the body unless a rule says otherwise', () => {
    const result = { id: 1, count: 0 };
    expect(splitResult(undefined, result)).toEqual({ headers: {}, body: result });
  });

  it('is split into headers and a body', () => {
    expect(splitResult(rule, { id: 1, count: 0 })).toEqual({
      headers: { 'X-Count': '0' },
      body: { id: 1 },
    });
  });

  it.each([{ id: 1 }, { id: 1, count: undefined }])(
    'without the field has no header: %j',
    (result) => {
      expect(splitResult(rule, result)).toEqual({ headers: {}, body: { id: 1 } });
    },
  );
});

const split = operations.flatMap(({ name, contract: { result, resultHeaders } }) =>
  resultHeaders ? [{ name, result, ...resultHeaders }] : [],
);

describe.each(split)('the result headers of $name', ({ result, body, fields }) => {
  it('carry exactly those fields that the body lacks', () => {
    if (!(result instanceof z.ZodObject)) throw new Error('the result is no object');
    expect(Object.keys(result.shape).sort()).toEqual(
      [...Object.keys(body.shape), ...Object.keys(fields)].sort(),
    );
  });

  it('may be read by pages of other origins', () => {
    const exposed = EXPOSED.split(', ');
    for (const { header } of Object.values(fields)) expect(exposed).toContain(header);
  });
});

it('stands in a contract at least once', () => expect(split.length).toBeGreaterThan(0));

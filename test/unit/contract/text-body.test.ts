import type { z } from 'zod';
import { Id } from '../../../contract/fields.ts';
import { Schemas } from '../../../contract/json-schemas.ts';
import { queryFieldsOf, valueOfText } from '../../../contract/text-body.ts';
import { allRoutes } from '../../../services/routes.ts';

const forms = allRoutes().filter(({ contract }) => contract.textBody);

test.each(forms)(
  '$action: the text is a field of the body, and the query can have the others',
  ({ contract }) => {
    const { textBody, body = {} } = contract;
    const kindOf = (type: unknown) => new Schemas('').of(type as z.ZodType, 'input');
    expect(kindOf(body[textBody?.field ?? '']).type).toBe('string');
    for (const [name, type] of queryFieldsOf(contract)) {
      const isId = valueOfText(type, '7') === 7;
      expect([name, isId || kindOf(type).type === 'string']).toEqual([name, true]);
      expect(Object.keys(contract.query ?? {})).not.toContain(name);
    }
  },
);

test('only ids are numbers, and a text that is no id stays', () => {
  expect(valueOfText(Id, '41')).toBe(41);
  expect(valueOfText(Id.optional(), '41')).toBe(41);
  for (const text of ['0', '-1', '1e3', '0x10', '', '9007199254740992']) {
    expect(valueOfText(Id, text)).toBe(text);
  }
});

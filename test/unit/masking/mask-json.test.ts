import type { Json } from '@workspace-automation/flow-language';
import { createMask } from '../../../support/masking/mask.ts';

const mask = createMask(['hunter2-hunter2', '0123456789', '98765432109876543210']);

describe('a masked JSON value', () => {
  it('shows no secret in strings, keys and numbers, and all else as it is', () => {
    const value = {
      'key hunter2-hunter2': ['hunter2-hunter2', { deep: 'a hunter2-hunter2 b' }],
      id: 123456789,
      rounded: Number('98765432109876543210'),
      inside: 50123456789.5,
      count: 12,
      yes: true,
      none: null,
    };
    expect(mask.maskJson(value)).toEqual({
      'key ***': ['***', { deep: 'a *** b' }],
      id: '***',
      rounded: '***',
      inside: '***',
      count: 12,
      yes: true,
      none: null,
    });
  });

  it('keeps the values of keys that are equal after masking', () => {
    const value = {
      'hunter2-hunter2': 1,
      '***': 2,
      'hunter2-hunter2hunter2-hunter2': 3,
      '*** 2': 4,
    };
    const masked = mask.maskJson(value) as Record<string, Json>;
    expect(Object.values(masked).sort()).toEqual([1, 2, 3, 4]);
    expect(JSON.stringify(masked)).not.toContain('hunter2');
  });

  it('keeps keys that name parts of a prototype', () => {
    const text = '{"__proto__":{"polluted":"hunter2-hunter2"},"constructor":1,"toString":null}';
    const masked = mask.maskJson(JSON.parse(text));
    expect(JSON.stringify(masked)).toBe(text.replace('hunter2-hunter2', '***'));
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
  });

  it('may be nested deeper than the stack', () => {
    let value: Json = 'hunter2-hunter2';
    for (let depth = 0; depth < 100_000; depth++) value = depth % 2 ? [value] : { value };
    let masked = mask.maskJson(value);
    while (typeof masked === 'object' && masked !== null) masked = Object.values(masked)[0] ?? null;
    expect(masked).toBe('***');
  });

  it('has an array for an array and the order of keys', () => {
    expect(JSON.stringify(mask.maskJson([[], {}, { b: 1, a: [2] }]))).toBe(
      '[[],{},{"b":1,"a":[2]}]',
    );
  });
});

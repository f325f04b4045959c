import fc from 'fast-check';
import { parseParams } from '../../../console/commands/call.ts';
import { findJsonFault } from '../../../support/json-fault.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('a fault in JSON', () => {
  it.each([
    ['', 0, 'a value'],
    ['{"a":1,}', 7, 'a name in double quotes'],
    ['{a:1}', 1, 'a name in double quotes'],
    ["{'a':1}", 1, 'a name in double quotes'],
    ['{"a" 1}', 5, '":"'],
    ['{"a":}', 5, 'a value'],
    ['{"a":1', 6, '"," or "}"'],
    ['{"a":1 "b":2}', 7, '"," or "}"'],
    ['[1 2]', 3, '"," or "]"'],
    ['[01]', 1, 'a value'],
    ['{"a":tru}', 5, 'a value'],
    ['{"a":NaN}', 5, 'a value'],
    ['{"a":"b}', 8, 'the closing "'],
    ['{"a":"\\x"}', 6, 'an escape such as \\n or \\u00e9'],
    ['{"a":1}}', 7, 'the end of the line'],
  ])('is found in %j at %i', (text, position, expected) => {
    expect(findJsonFault(text)).toEqual({ position, expected });
  });

  it('is found behind a string of any length', () => {
    const string = `"\\n${'x'.repeat(12_000_000)}"`;
    expect(findJsonFault(`[${string} 1]`)?.position).toBe(string.length + 2);
    expect(findJsonFault(string)).toBeNull();
  });

  it('is found exactly in the texts that are no JSON', () => {
    const mutated = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '"', '{', '}', ']', '1', 'a', '\\', '\n'),
      )
      .map(([text, at, put]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), mutated, fc.string()), (text) => {
        expect(findJsonFault(text) === null).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is told with its position and what stands there', () => {
    expect(() => parseParams('{"a":1 "b"}', 'the parameters')).toThrow(
      'the parameters: expected "," or "}" at position 8, not "\\"b\\"}".',
    );
    expect(() => parseParams('7', 'x.json')).toThrow(/^x\.json: expected --name value/);
    expect(parseParams(' {"a":[1]} ', 'the parameters')).toEqual({ a: [1] });
  });
});

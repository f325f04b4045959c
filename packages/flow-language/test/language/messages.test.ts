// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import { compile } from '../../language/compile.ts';

/** The message of the only fault of one `call: apiDescription` with these fields. */
function messageOf(fields: string): string {
  const { faults } = compile(`do: [{ t: { call: apiDescription, with: { ${fields} } } }]`);
  expect(faults).toHaveLength(1);
  return faults[0]?.message ?? '';
}

describe('a fault of call: apiDescription says what to write instead', () => {
  it.each([
    ['apiDescriptionId: "31"', 'such as 31, without quotes'],
    ['apiDescriptionId: "${ $input.id }"', 'write the number instead of an expression'],
    ['apiDescriptionId: 1, credential: mine', 'must be source, destination, none or the id of'],
    ['apiDescriptionId: 1, credential: "${ 1 }"', 'write source or destination and set the pair'],
    ['apiDescriptionId: 1, query: 5', 'a map of values or one expression, ${ ... }'],
    ['apiDescriptionId: 1, path: { id: "" }', '"path.id" is empty'],
    ['apiDescriptionId: 1, qeury: {}', 'did you mean "query"? allowed: apiDescriptionId,'],
  ])('%s', (fields, words) => {
    expect(messageOf(fields)).toContain(words);
  });
});

describe('an unknown keyword', () => {
  const messagesOf = (text: string) => compile(text).faults.map(({ message }) => message);

  it.each([
    ['do: []\ntimeuot: {}', 'did you mean "timeout"?'],
    ['do: [{ a: { set: { b: 1 }, ouput: {} } }]', 'did you mean "output"?'],
    [
      'do: [{ a: { call: apiDescription, with: { apiDescriptionid: 1, apiDescriptionId: 1 } } }]',
      'did you mean "apiDescriptionId"?',
    ],
  ])('that is near a known keyword is named with it: %s', (text, words) => {
    expect(messagesOf(text)).toEqual([expect.stringContaining(words)]);
  });

  it.each(['steps', 'x', 'd'.repeat(500)])('that is near none has the list alone', (key) => {
    const [message] = messagesOf(`do: []\n${key}: {}`);
    expect(message).toContain('allowed: do, document');
    expect(message).not.toContain('did you mean');
  });
});

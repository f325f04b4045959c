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

const messagesOf = (text: string): string[] => compile(text).faults.map(({ message }) => message);

describe('an unknown keyword', () => {
  it.each([
    ['do: []\ntimeuot: { after: PT1S }', 'did you mean "timeout"?'],
    ['do: [{ a: { set: { b: 1 }, ouput: {} } }]', 'did you mean "output"?'],
    [
      'do: [{ a: { call: apiDescription, with: { apiDescriptionid: 1, apiDescriptionId: 1 } } }]',
      'did you mean "apiDescriptionId"?',
    ],
  ])('that is near a known keyword is named with it: %s', (text, words) => {
    expect(messagesOf(text)).toEqual([expect.stringContaining(words)]);
  });

  it.each(['retries', 'x', 'd'.repeat(500)])('that is near none has the list alone', (key) => {
    const [message] = messagesOf(`do: []\n${key}: {}`);
    expect(message).toContain('allowed: do, document');
    expect(message).not.toContain('did you mean');
  });
});

describe('the nearest known word', () => {
  const task = (content: string) => `do: [{ first: { set: { a: 1 } } }, { t: ${content} }]`;
  const value = (expression: string) => task(`{ set: { a: '\${ ${expression} }' } }`);

  it.each([
    [
      'of a kind of task',
      task('{ cal: http, with: { method: GET, endpoint: "https://x" } }'),
      'did you mean "call"?',
    ],
    ['of a loop', task('{ fro: { in: "${ $ }" }, do: [] }'), 'did you mean "for"?'],
    [
      'of a word of another tool',
      task('{ call: http, with: { method: GET, url: "https://x" } }'),
      'here it is "endpoint"',
    ],
    ['of a task of another tool', task('{ sleep: 5 }'), 'here it is "wait"'],
    ['of a call', task('{ call: htpp, with: {} }'), 'did you mean "http"?'],
    [
      'of a method',
      task('{ call: http, with: { method: GTE, endpoint: "https://x" } }'),
      'did you mean "GET"?',
    ],
    [
      'of an output',
      task('{ call: http, with: { method: GET, endpoint: "https://x", output: respnse } }'),
      'did you mean "response"?',
    ],
    ['of a directive', task('{ do: [], then: contniue }'), 'did you mean "continue"?'],
    ['of a directive of another language', task('{ do: [], then: break }'), 'did you mean "exit"?'],
    ['of a sibling', task('{ do: [], then: frist }'), 'did you mean "first"?'],
    ['of a step', value('$steps.frist.a'), 'did you mean "first"?'],
    ['of a function', value('$conut($.a)'), 'did you mean $count?'],
    ['of a function of another language', value('$toLowerCase($.a)'), 'write $lowercase'],
    ['of a variable', value('$inptu.a'), 'did you mean $input?'],
    ['of a variable of n8n', value('$json.a'), 'write $ for the input of the task'],
  ])('%s is named, in one fault', (_, text, words) => {
    expect(messagesOf(text)).toEqual([expect.stringContaining(words)]);
  });

  it('of a step with a hyphen is named with backticks', () => {
    const text = `do: [{ get-it: { set: { a: 1 } } }, { t: { set: { a: '\${ $steps.get-it.a }' } } }]`;
    expect(messagesOf(text)).toEqual([expect.stringContaining('$steps.`get-it`')]);
  });

  it('is never one that is refused', () => {
    for (const text of [
      task('{ emti: {} }'),
      task('{ call: grcp, with: {} }'),
      'do: []\nschedul: {}',
    ]) {
      const message = messagesOf(text).join();
      expect(message).not.toContain('did you mean');
      expect(message).not.toMatch(/allowed:.*(emit|grpc|schedule)/);
    }
  });

  it('of a task in another list is no target', () => {
    const text = 'do: [{ a: { do: [{ b: { do: [] } }] } }, { c: { do: [], then: b } }]';
    expect(messagesOf(text)).toEqual([expect.stringContaining('a task of another list')]);
  });
});

describe('a fault says what to write instead', () => {
  it.each([
    ['of a duration in words', 'wait: 5s', 'write "PT5S"'],
    ['of a duration in milliseconds', 'wait: 500 ms', 'write { milliseconds: 500 }'],
    ['of a duration in lower case', 'wait: pt1h', 'write "PT1H"'],
    ['of a duration in years', 'wait: P1Y', 'write days'],
    ['of a duration that is a number', 'wait: 30', '"PT30S" or { seconds: 30 }'],
    ['of a timeout that is a number', 'do: [], timeout: 30', '{ after: { seconds: 30 } }'],
    ['of a refused call', 'call: openapi, with: {}', 'write call: apiDescription'],
    ['of a refused keyword', 'run: { script: {} }', 'compute by expressions in "set"'],
    [
      'of a computed method',
      'call: http, with: { method: "${ $.m }", endpoint: "https://x" }',
      '"method" is fixed',
    ],
    [
      'of a template in a URL',
      'call: http, with: { method: GET, endpoint: "https://x/{{id}}" }',
      'single braces',
    ],
    [
      'of a URL with an expression',
      'call: http, with: { method: GET, endpoint: "https://x/${ $.id }" }',
      'one expression as a whole, such as',
    ],
  ])('%s', (_, content, words) => {
    expect(messagesOf(`do: [{ t: { ${content} } }]`)).toEqual([expect.stringContaining(words)]);
  });

  it('quotes the file as its author wrote it, also beside other mistakes', () => {
    const text = 'do: [{ t: { set: { a: x ${ $.id }: ${ $.text }, b: y-${ $.id } } } }]';
    const messages = messagesOf(text);
    expect(messages.length).toBeGreaterThan(1);
    expect(messages.join('\n')).not.toContain('xxxx');
    expect(messages.join('\n')).toContain('${ $.id }: ${ $.text');
  });

  it('of a task that has its name in a member', () => {
    const text = 'do:\n  - name: fetch\n    call: http\n    with: {}\n';
    expect(messagesOf(text)).toEqual([expect.stringContaining('write "- fetch:"')]);
  });
});

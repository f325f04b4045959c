// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import { readFileSync } from 'node:fs';
import { validate } from '@serverlessworkflow/sdk';
import { compile } from '../../language/compile.ts';
import { addDefaults } from '../../language/file-defaults.ts';

/** Files that this profile accepts: each must be one of the DSL's once its defaults are written. */
const ACCEPTED: [what: string, text: string][] = [
  ['nothing to do', 'do: []'],
  ['half a document', 'document: { name: order-sync }\nevaluate: {}\ndo: []'],
  [
    'a schema and shaping',
    `
input: { schema: { document: { type: object } }, from: '\${ $.a }' }
output: { as: { b: '\${ $ }' } }
timeout: { after: P1W2DT3H4M5S }
metadata: { a: 1, onFailure: { issue: true, assignedUserId: 7 }, concurrency: 2 }
do: []`,
  ],
  [
    'every kind of task',
    `
do:
  - make:
      if: '\${ true }'
      input: { from: { a: 1 } }
      set: { a: '\${ $ }' }
      output: { as: 'Total: \${ $.a }' }
      export: { as: '\${ $ }' }
      timeout: { after: { days: 1, hours: 1, minutes: 1, seconds: 1, milliseconds: 1 } }
      then: fetch
      metadata: { b: [] }
  - fetch:
      call: http
      with:
        method: get
        endpoint: https://x.example/{id}/%20?q={q}&r=ü#{f}
        headers: { A: b, C: '\${ $ }' }
        query: { d: 1, e: [1] }
        body: [1]
        output: raw
  - uri: { call: http, with: { method: GET, endpoint: { uri: 'https://x.example/{id}' } } }
  - next: { call: http, with: { method: GET, endpoint: ' \${ $.next } ' } }
  - choose: { switch: [{ a: { when: '\${ $ }', then: exit } }, { b: { then: make } }] }
  - each: { for: { each: x, in: '\${ $ }', at: y }, while: '\${ $x }', do: [] }
  - guard:
      try: []
      catch:
        errors: { with: { type: a, status: 500, title: b, instance: c } }
        as: problem
        when: '\${ 1 }'
        exceptWhen: '\${ 1 }'
        retry:
          when: '\${ 1 }'
          exceptWhen: '\${ 1 }'
          delay: PT1S
          backoff: { linear: {} }
          limit: { attempt: { count: 1, duration: PT1S }, duration: PT1S }
          jitter: { from: PT0S, to: PT1.5S }
        do: [{ pause: { wait: PT1S } }]
  - swallow: { try: [], catch: {} }
  - stop:
      raise: { error: { type: https://x.example/e, status: 500, title: a, detail: '\${ $ }' } }
  - compute: { raise: { error: { type: '\${ $.type }', status: 500 } } }
  - nothing: { do: [] }
  - tell:
      call: issue
      with: { title: 'Order \${ $.id }', description: a, assignedUserId: 7, fingerprint: b }
  - ask:
      call: agent
      with: { prompt: a, schema: { type: object }, tools: [issues.list] }
  - many: { for: { in: '\${ $ }' }, metadata: { parallel: 8 }, do: [] }
  - race: { fork: { compete: true, branches: [{ left: { do: [] } }, { right: { do: [] } }] } }
  - child:
      run: { workflow: { namespace: workspace, name: '7', version: '12', input: { a: '\${ $ }' } } }
  - approval: { listen: { to: { one: { with: { type: approved } } } } }`,
  ],
];

describe('an accepted file, completed with its defaults', () => {
  it.each(ACCEPTED)('of %s is one of the DSL', (_, text) => {
    expect(compile(text).faults).toEqual([]);
    expect(() => validate('Workflow', addDefaults(text))).not.toThrow();
  });

  it('keeps what it says itself', () => {
    expect(addDefaults('document: { name: a }\ndo: []', { name: 'b' })).toEqual({
      document: { dsl: '1.0.0', namespace: 'workspace', name: 'a', version: '1.0.0' },
      evaluate: { language: 'jsonata' },
      do: [],
    });
  });

  it('is none when the text is no map', () => {
    expect(addDefaults('[1]')).toBeNull();
    expect(addDefaults('')).toBeNull();
  });
});

describe('what the DSL accepts and this profile does not', () => {
  it.each([
    ['unknown parts of expressions', 'do: [{ a: { set: { b: "${ $nope" } } }]'],
    ['a jump to nowhere', 'do: [{ a: { set: { b: 1 }, then: nowhere } }]'],
    ['shared definitions', 'use: {}\ndo: []'],
    ['another task by that name', 'do: [{ a: { do: [] } }, { a: { do: [] } }]'],
  ])('%s', (_, text) => {
    expect(() => validate('Workflow', addDefaults(text))).not.toThrow();
    expect(compile(text).plan).toBeNull();
  });
});

describe('the example of the language', () => {
  const text = readFileSync(`${__dirname}/order-sync.yaml`, 'utf8');

  it('compiles, with both calls', () => {
    const { plan, faults } = compile(text);
    expect(faults).toEqual([]);
    expect(JSON.stringify(plan).match(/"kind":"call-api-description"/g)).toHaveLength(2);
  });

  it('is a file of the DSL', () => {
    expect(() => validate('Workflow', addDefaults(text))).not.toThrow();
  });
});

// biome-ignore-all lint/suspicious/noThenProperty: the DSL's keyword; a plan is never awaited
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import { compile } from '../../language/compile.ts';
import { planOf } from './support.ts';

const tasksOf = (text: string) => planOf(text).tasks;

describe('a plan', () => {
  it('of the smallest file has the defaults of the document', () => {
    expect(compile('do: []')).toStrictEqual({
      plan: {
        document: { dsl: '1.0.0', namespace: 'workspace', name: 'flow', version: '1.0.0' },
        tasks: [],
      },
      faults: [],
      warnings: [],
    });
  });

  it('takes the name that a file leaves out from its caller', () => {
    expect(compile('do: []', { name: '31' }).plan?.document.name).toBe('31');
  });

  it('has what the top level says', () => {
    const text = `
document: { dsl: '1.0.0', namespace: sales, name: order-sync, version: '2.1.0' }
evaluate: { language: jsonata }
input:
  schema: { format: json, document: { type: object, required: [since] } }
  from: '\${ $.since }'
output: { as: { total: '\${ $sum($.items) }', kind: done } }
timeout: { after: { minutes: 10, milliseconds: 5 } }
metadata: { anything: [1, { goes: '\${' }] }
do: []`;
    expect(planOf(text)).toStrictEqual({
      document: { dsl: '1.0.0', namespace: 'sales', name: 'order-sync', version: '2.1.0' },
      inputSchema: { type: 'object', required: ['since'] },
      inputFrom: { kind: 'expression', expression: { source: '$.since', variables: [] } },
      outputAs: {
        kind: 'map',
        entries: [
          ['total', { kind: 'expression', expression: { source: '$sum($.items)', variables: [] } }],
          ['kind', { kind: 'literal', value: 'done' }],
        ],
      },
      timeoutMs: 600_005,
      tasks: [],
    });
  });

  it('has the same endpoint by a text and by uri', () => {
    const endpointOf = (endpoint: string) => {
      const [task] = tasksOf(
        `do: [{ t: { call: http, with: { method: get, endpoint: ${endpoint} } } }]`,
      );
      return task?.kind === 'call-http' ? task.endpoint : undefined;
    };
    const address = 'https://api.example/{kind}';
    expect(endpointOf(`{ uri: '${address}' }`)).toStrictEqual({
      kind: 'uri-template',
      template: address,
    });
    expect(endpointOf(`'${address}'`)).toStrictEqual(endpointOf(`{ uri: '${address}' }`));
    const expression = "'${ $.next }'";
    expect(endpointOf(`{ uri: ${expression} }`)).toStrictEqual(endpointOf(expression));
  });

  it('has what every task may have', () => {
    const text = `
do:
  - first:
      if: \${ $input.go }
      input: { from: { a: 1 } }
      set: { b: 2 }
      output: { as: '\${ $.b }' }
      export: { as: { seen: '\${ $context.seen + 1 }' } }
      timeout: { after: PT1M30S }
      then: last
      metadata: { note: 'as it is' }
  - last: { do: [], then: exit }`;
    expect(tasksOf(text)).toStrictEqual([
      {
        kind: 'set',
        name: 'first',
        path: '/do/0/first',
        if: { source: '$input.go', variables: ['input'] },
        inputFrom: { kind: 'literal', value: { a: 1 } },
        outputAs: { kind: 'expression', expression: { source: '$.b', variables: [] } },
        exportAs: {
          kind: 'map',
          entries: [
            [
              'seen',
              {
                kind: 'expression',
                expression: { source: '$context.seen + 1', variables: ['context'] },
              },
            ],
          ],
        },
        timeoutMs: 90_000,
        then: 'last',
        value: { kind: 'literal', value: { b: 2 } },
      },
      { kind: 'do', name: 'last', path: '/do/1/last', then: 'exit', tasks: [] },
    ]);
  });

  it('of an HTTP call', () => {
    const text = `
do:
  - get:
      call: http
      with:
        method: post
        endpoint: https://api.example/{kind}/items?since={since}
        headers: { X-Run: 'run \${ $run.id }' }
        query: { page: 1 }
        body: [1, '\${ $.a }', '$\${ literal }']
        output: response
  - again: { call: http, with: { method: GET, endpoint: ' \${ $.next } ' } }`;
    expect(tasksOf(text)).toStrictEqual([
      {
        kind: 'call-http',
        name: 'get',
        path: '/do/0/get',
        method: 'POST',
        endpoint: {
          kind: 'uri-template',
          template: 'https://api.example/{kind}/items?since={since}',
        },
        headers: {
          kind: 'map',
          entries: [
            ['X-Run', { kind: 'text', parts: ['run ', { source: '$run.id', variables: ['run'] }] }],
          ],
        },
        query: { kind: 'literal', value: { page: 1 } },
        body: {
          kind: 'list',
          items: [
            { kind: 'literal', value: 1 },
            { kind: 'expression', expression: { source: '$.a', variables: [] } },
            { kind: 'literal', value: '${ literal }' },
          ],
        },
        output: 'response',
      },
      {
        kind: 'call-http',
        name: 'again',
        path: '/do/1/again',
        method: 'GET',
        endpoint: { kind: 'expression', expression: { source: '$.next', variables: [] } },
        output: 'content',
      },
    ]);
  });

  it('of a call through an API description', () => {
    const text = `
do:
  - one:
      call: apiDescription
      with:
        apiDescriptionId: 31
        credential: source
        path: { id: '\${ $.id }' }
        query: '\${ $.filter }'
        headers: { X-Run: a }
        body: [1]
  - two: { call: apiDescription, with: { apiDescriptionId: 32, credential: 7 } }`;
    expect(tasksOf(text)).toStrictEqual([
      {
        kind: 'call-api-description',
        name: 'one',
        path: '/do/0/one',
        apiDescriptionId: 31,
        credential: 'source',
        pathValues: {
          kind: 'map',
          entries: [['id', { kind: 'expression', expression: { source: '$.id', variables: [] } }]],
        },
        query: { kind: 'expression', expression: { source: '$.filter', variables: [] } },
        headers: { kind: 'literal', value: { 'X-Run': 'a' } },
        body: { kind: 'literal', value: [1] },
      },
      {
        kind: 'call-api-description',
        name: 'two',
        path: '/do/1/two',
        apiDescriptionId: 32,
        credential: 7,
      },
    ]);
  });

  it('of a switch keeps the order of its cases', () => {
    const text = `
do:
  - route:
      switch:
        - otherwise: { then: end }
        - many: { when: '\${ $count($steps.route) > 1 }', then: route }`;
    expect(tasksOf(text)).toStrictEqual([
      {
        kind: 'switch',
        name: 'route',
        path: '/do/0/route',
        cases: [
          { name: 'otherwise', then: 'end' },
          {
            name: 'many',
            when: { source: '$count($steps.route) > 1', variables: ['steps'] },
            then: 'route',
          },
        ],
      },
    ]);
  });

  it('of a loop gives its variables to what is inside', () => {
    const text = `
do:
  - outer:
      for: { each: order, in: '\${ $.orders }', at: i }
      while: \${ $i < 10 }
      do:
        - inner:
            for: { in: '\${ $order.lines }' }
            do:
              - line: { set: { at: '\${ [$i, $index, $item, $order] }' } }`;
    expect(tasksOf(text)).toStrictEqual([
      {
        kind: 'for',
        name: 'outer',
        path: '/do/0/outer',
        each: 'order',
        at: 'i',
        in: { source: '$.orders', variables: [] },
        while: { source: '$i < 10', variables: ['i'] },
        tasks: [
          {
            kind: 'for',
            name: 'inner',
            path: '/do/0/outer/do/0/inner',
            each: 'item',
            at: 'index',
            in: { source: '$order.lines', variables: ['order'] },
            tasks: [
              {
                kind: 'set',
                name: 'line',
                path: '/do/0/outer/do/0/inner/do/0/line',
                value: {
                  kind: 'map',
                  entries: [
                    [
                      'at',
                      {
                        kind: 'expression',
                        expression: {
                          source: '[$i, $index, $item, $order]',
                          variables: ['i', 'index', 'item', 'order'],
                        },
                      },
                    ],
                  ],
                },
              },
            ],
          },
        ],
      },
    ]);
  });

  it('of a try has its filter, its retries and the way out', () => {
    const text = `
do:
  - guarded:
      try: [{ risky: { wait: PT0S } }]
      catch:
        errors: { with: { type: 'https://x.example/e', status: 503, title: T, instance: /do/0 } }
        as: problem
        when: '\${ $problem.status = 503 }'
        exceptWhen: '\${ $context.stop }'
        retry:
          delay: { seconds: 2 }
          backoff: { exponential: {} }
          jitter: { from: PT0S, to: { milliseconds: 100 } }
          limit: { attempt: { count: 3, duration: PT5S }, duration: PT1M }
          when: '\${ $problem }'
          exceptWhen: '\${ $error }'
        do: [{ mend: { do: [] } }]`;
    expect(tasksOf(text)).toStrictEqual([
      {
        kind: 'try',
        name: 'guarded',
        path: '/do/0/guarded',
        tasks: [{ kind: 'wait', name: 'risky', path: '/do/0/guarded/try/0/risky', durationMs: 0 }],
        catch: {
          errors: { type: 'https://x.example/e', status: 503, title: 'T', instance: '/do/0' },
          as: 'problem',
          when: { source: '$problem.status = 503', variables: ['problem'] },
          exceptWhen: { source: '$context.stop', variables: ['context'] },
          retry: {
            delayMs: 2000,
            backoff: 'exponential',
            jitter: { fromMs: 0, toMs: 100 },
            maxRetries: 3,
            attemptDurationMs: 5000,
            totalDurationMs: 60_000,
            when: { source: '$problem', variables: ['problem'] },
            exceptWhen: { source: '$error', variables: ['error'] },
          },
          tasks: [{ kind: 'do', name: 'mend', path: '/do/0/guarded/catch/do/0/mend', tasks: [] }],
        },
      },
    ]);
  });

  it.each([
    ['{}', { maxRetries: 5 }],
    ['{ limit: { attempt: { count: 0 } } }', { maxRetries: 0 }],
    ['{ limit: { attempt: { duration: PT1S } } }', { maxRetries: 5, attemptDurationMs: 1000 }],
    ['{ limit: { duration: PT1S } }', { maxRetries: 10_000, totalDurationMs: 1000 }],
  ])('retries %s within its limits', (retry, limits) => {
    const [task] = tasksOf(`do: [{ t: { try: [], catch: { retry: ${retry} } } }]`);
    expect(task).toMatchObject({
      catch: { as: 'error', retry: { delayMs: 0, backoff: 'constant', ...limits } },
    });
  });

  it('of a raise may compute its type, title and detail', () => {
    const text = `
do:
  - stop:
      raise:
        error: { type: '\${ $.type }', status: 409, title: 'No \${ $.what }', detail: plain }`;
    expect(tasksOf(text)).toStrictEqual([
      {
        kind: 'raise',
        name: 'stop',
        path: '/do/0/stop',
        error: {
          type: { kind: 'expression', expression: { source: '$.type', variables: [] } },
          status: 409,
          title: { kind: 'text', parts: ['No ', { source: '$.what', variables: [] }] },
          detail: { kind: 'literal', value: 'plain' },
        },
      },
    ]);
  });

  it('follows aliases', () => {
    const text = 'do:\n  - a: { set: { x: &x { y: 1 }, z: *x } }\n';
    expect(tasksOf(text)[0]).toMatchObject({
      value: { kind: 'literal', value: { x: { y: 1 }, z: { y: 1 } } },
    });
  });

  it('keeps every key, __proto__ too', () => {
    const text = '{"do": [{"a": {"set": {"__proto__": {"x": 1}, "${ k }": 2}}}]}';
    expect(JSON.stringify(tasksOf(text)[0])).toContain('{"__proto__":{"x":1},"${ k }":2}');
  });

  it('survives a trip as JSON', () => {
    const plan = planOf('do: [{ a: { set: { x: "${ $ }" }, if: "${ $.y }" } }]');
    expect(JSON.parse(JSON.stringify(plan))).toStrictEqual(plan);
  });
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own

import { compile } from '../../language/compile.ts';
import { LIMITS } from '../../language/limits.ts';
import { faultsOf, planOf } from './support.ts';

/** One task `t` on line 2, its content from column 8. */
const task = (content: string): string => `do:\n  - t: ${content}\n`;

/** Each fault is `line:column CODE`, with the message where the message is of this task alone. */
const BAD: [what: string, text: string, faults: string[]][] = [
  // call: issue
  [
    'an issue without a title',
    task('{ call: issue, with: {} }'),
    ['2:29 MISSING_KEY "title" is missing in "with".'],
  ],
  [
    'an empty title',
    task('{ call: issue, with: { title: "" } }'),
    ['2:38 INVALID_VALUE "title" is empty; give it a text or an expression.'],
  ],
  [
    'a number as title',
    task('{ call: issue, with: { title: 1 } }'),
    ['2:38 WRONG_TYPE "title" must be a string, not a number.'],
  ],
  [
    'a list as description',
    task('{ call: issue, with: { title: a, description: [1] } }'),
    ['2:54 WRONG_TYPE "description" must be a string, not a list.'],
  ],
  [
    'a blank fingerprint',
    task('{ call: issue, with: { title: a, fingerprint: " " } }'),
    ['2:54 INVALID_VALUE "fingerprint" is empty; give it a text or an expression.'],
  ],
  [
    'a member in quotes',
    task('{ call: issue, with: { title: a, assignedUserId: "7" } }'),
    [
      '2:57 INVALID_VALUE "assignedUserId" must be the id of a member, a positive whole number without quotes, or one expression, ${ ... }; this is a string.',
    ],
  ],
  [
    'a member with the id 0',
    task('{ call: issue, with: { title: a, assignedUserId: 0 } }'),
    [
      '2:57 INVALID_VALUE "assignedUserId" must be the id of a member, a positive whole number without quotes, or one expression, ${ ... }; this is a number.',
    ],
  ],
  [
    'text around the expression of a member',
    task('{ call: issue, with: { title: a, assignedUserId: "user ${ 1 }" } }'),
    [
      '2:57 INVALID_VALUE "assignedUserId" must be the id of a member, a positive whole number without quotes, or one expression, ${ ... }; this is a string.',
    ],
  ],
  [
    'an expression of a member that is never closed',
    task('{ call: issue, with: { title: a, assignedUserId: "${ 1" } }'),
    ['2:58 EXPRESSION_UNTERMINATED'],
  ],
  [
    'a misspelt field of an issue',
    task('{ call: issue, with: { titel: a } }'),
    ['2:31 UNKNOWN_KEY'],
  ],
  [
    'an unknown step in a title',
    task('{ call: issue, with: { title: "${ $steps.no }" } }'),
    ['2:49 UNKNOWN_STEP'],
  ],
  [
    'an issue without arguments',
    task('{ call: issue }'),
    ['2:8 MISSING_KEY "with" is missing in the task "t".'],
  ],
  [
    'a call in the wrong case',
    task('{ call: Issue, with: { title: a } }'),
    [
      '2:16 INVALID_VALUE No call has the name "Issue"; did you mean "issue"? allowed: http, apiDescription, issue, agent.',
    ],
  ],
  // call: agent
  [
    'an agent without a prompt',
    task('{ call: agent, with: {} }'),
    ['2:29 MISSING_KEY "prompt" is missing in "with".'],
  ],
  [
    'an empty prompt',
    task('{ call: agent, with: { prompt: "" } }'),
    ['2:39 INVALID_VALUE "prompt" is empty; give it a text or an expression.'],
  ],
  [
    'a list as prompt',
    task('{ call: agent, with: { prompt: [a] } }'),
    ['2:39 WRONG_TYPE "prompt" must be a string, not a list.'],
  ],
  [
    'an unknown type in the schema',
    task('{ call: agent, with: { prompt: a, schema: { type: text } } }'),
    [
      '2:58 SCHEMA_INVALID "type" in a JSON Schema must be one or some of null, boolean, object, array, number, integer, string.',
    ],
  ],
  [
    'a number as schema',
    task('{ call: agent, with: { prompt: a, schema: 1 } }'),
    ['2:50 SCHEMA_INVALID A JSON Schema is a map, true or false; this is a number.'],
  ],
  [
    'a remote reference in the schema',
    task('{ call: agent, with: { prompt: a, schema: { $ref: "https://x.example/y" } } }'),
    [
      '2:58 SCHEMA_REMOTE_REF "$ref" "https://x.example/y" leads outside this schema; nothing is fetched.',
    ],
  ],
  [
    'a text as tools',
    task('{ call: agent, with: { prompt: a, tools: issues.list } }'),
    ['2:49 WRONG_TYPE "tools" must be a list, not a string.'],
  ],
  [
    'tools that are no operations',
    task('{ call: agent, with: { prompt: a, tools: [issues, 1] } }'),
    [
      '2:50 INVALID_VALUE Each of "tools" must be the name of an operation, such as issues.list; this is "issues".',
      '2:58 WRONG_TYPE Each of "tools" must be a string, not a number.',
    ],
  ],
  [
    'a tool twice',
    task('{ call: agent, with: { prompt: a, tools: [issues.list, issues.list] } }'),
    ['2:63 DUPLICATE_NAME The tool "issues.list" is given twice.'],
  ],
  [
    'a computed tool',
    task('{ call: agent, with: { prompt: a, tools: ["${ $input.tool }"] } }'),
    ['2:50 EXPRESSION_NOT_ALLOWED Each of "tools" is fixed: no expression may stand here.'],
  ],
  [
    'an unknown field of an agent',
    task('{ call: agent, with: { prompt: a, model: b } }'),
    ['2:42 UNKNOWN_KEY'],
  ],
  // for with metadata.parallel
  [
    'no rounds at once',
    task('{ for: { in: "${ $ }" }, metadata: { parallel: 0 }, do: [] }'),
    ['2:55 INVALID_VALUE "metadata.parallel" must be a whole number from 1 to 1000.'],
  ],
  [
    '1001 rounds at once',
    task('{ for: { in: "${ $ }" }, metadata: { parallel: 1001 }, do: [] }'),
    ['2:55 INVALID_VALUE "metadata.parallel" must be a whole number from 1 to 1000.'],
  ],
  [
    'half a round',
    task('{ for: { in: "${ $ }" }, metadata: { parallel: 1.5 }, do: [] }'),
    ['2:55 INVALID_VALUE "metadata.parallel" must be a whole number from 1 to 1000.'],
  ],
  [
    'a text as number of rounds',
    task('{ for: { in: "${ $ }" }, metadata: { parallel: "4" }, do: [] }'),
    ['2:55 WRONG_TYPE "metadata.parallel" must be a whole number, not a string.'],
  ],
  [
    'while beside parallel',
    task('{ for: { in: "${ $ }" }, metadata: { parallel: 2 }, while: "${ $item }", do: [] }'),
    [
      `2:60 INVALID_VALUE "while" can't stand beside "metadata.parallel": the rounds begin side by side, so no round decides whether the next begins; leave one of the two out.`,
    ],
  ],
  // fork
  [
    'a fork without branches',
    task('{ fork: {} }'),
    ['2:16 MISSING_KEY "branches" is missing in "fork".'],
  ],
  [
    'a fork with no branch',
    task('{ fork: { branches: [] } }'),
    [
      '2:28 INVALID_VALUE "fork.branches" is empty; give it at least one branch, a task with a name.',
    ],
  ],
  ['a map of branches', '{ fork: { branches: { u: { do: [] } } } }', ['1:3 UNKNOWN_KEY']],
  [
    'a list as fork',
    task('{ fork: [] }'),
    ['2:16 WRONG_TYPE "fork" must be a map such as { branches: [...] }, not a list.'],
  ],
  [
    'a branch that does nothing',
    task('{ fork: { branches: [{ u: {} }] } }'),
    ['2:34 TASK_KIND_MISSING'],
  ],
  [
    'compete: yes',
    '{ fork: { branches: [{ u: { do: [] } }], compete: yes } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  [
    'an unknown field of a fork',
    '{ fork: { branches: [{ u: { do: [] } }], race: true } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  [
    'a jump to another branch',
    '{ fork: { branches: [{ u: { do: [], then: v } }, { v: { do: [] } }] } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  [
    'a jump out of a branch',
    '{ fork: { branches: [{ u: { do: [], then: t } }] } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  [
    'a branch with the name of its fork',
    '{ fork: { branches: [{ t: { do: [] } }] } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  [
    'two branches of one name',
    '{ fork: { branches: [{ u: { do: [] } }, { u: { do: [] } }] } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  [
    'two branches in one item',
    '{ fork: { branches: [{ u: { do: [] }, v: { do: [] } }] } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  [
    'a branch with a reserved name',
    '{ fork: { branches: [{ end: { do: [] } }] } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  [
    'an unknown step in a branch',
    task('{ fork: { branches: [{ u: { set: { a: "${ $steps.x }" } } }] } }'),
    ['2:57 UNKNOWN_STEP'],
  ],
  [
    'a bad timeout in a branch',
    '{ fork: { branches: [{ u: { do: [], timeout: soon } }] } }',
    ['1:3 UNKNOWN_KEY'],
  ],
  // run
  [
    'a run of nothing',
    task('{ run: {} }'),
    [
      '2:15 MISSING_KEY "workflow" is missing in "run"; a flow runs other flows of its workspace only.',
    ],
  ],
  [
    'a run by a name',
    task('{ run: mine }'),
    [
      '2:15 WRONG_TYPE "run" must be a map such as { workflow: { namespace: workspace, name: mine, version: latest } }, not a string.',
    ],
  ],
  ['run: shell', task('{ run: { shell: { command: ls } } }'), ['2:17 REFUSED']],
  ['run: script', task('{ run: { script: {} } }'), ['2:17 REFUSED']],
  ['run: container', task('{ run: { container: {} } }'), ['2:17 REFUSED']],
  [
    'a workflow without anything',
    task('{ run: { workflow: {} } }'),
    [
      '2:27 MISSING_KEY "namespace" is missing in "run.workflow".',
      '2:27 MISSING_KEY "name" is missing in "run.workflow".',
      '2:27 MISSING_KEY "version" is missing in "run.workflow".',
    ],
  ],
  [
    'a workflow without a version',
    task('{ run: { workflow: { namespace: workspace, name: a } } }'),
    ['2:27 MISSING_KEY "version" is missing in "run.workflow".'],
  ],
  [
    'another namespace',
    task('{ run: { workflow: { namespace: other, name: a, version: latest } } }'),
    [
      '2:40 INVALID_VALUE "run.workflow.namespace" must be workspace, because a flow runs flows of its own workspace only; this is "other".',
    ],
  ],
  [
    'a number as namespace',
    task('{ run: { workflow: { namespace: 1, name: a, version: latest } } }'),
    ['2:40 WRONG_TYPE "run.workflow.namespace" must be workspace, not a number.'],
  ],
  [
    'an id that is no text',
    task('{ run: { workflow: { namespace: workspace, name: 7, version: latest } } }'),
    [
      '2:57 WRONG_TYPE "run.workflow.name" must be the name of a flow, or its id in quotes, such as "7", not a number.',
    ],
  ],
  [
    'an empty name of a flow',
    task('{ run: { workflow: { namespace: workspace, name: "", version: latest } } }'),
    [
      '2:57 INVALID_VALUE "run.workflow.name" is empty; it is the name of a flow, or its id in quotes.',
    ],
  ],
  [
    'a computed name of a flow',
    task(
      '{ run: { workflow: { namespace: workspace, name: "${ $input.flow }", version: latest } } }',
    ),
    ['2:57 EXPRESSION_NOT_ALLOWED "run.workflow.name" is fixed: no expression may stand here.'],
  ],
  [
    'a version that is no text',
    task('{ run: { workflow: { namespace: workspace, name: a, version: 12 } } }'),
    [
      '2:69 WRONG_TYPE "run.workflow.version" must be latest, or the id of a version in quotes, such as "12", not a number.',
    ],
  ],
  [
    'a semantic version',
    task('{ run: { workflow: { namespace: workspace, name: a, version: 1.0.0 } } }'),
    [
      '2:69 INVALID_VALUE "run.workflow.version" must be latest, or the id of a version in quotes, such as "12"; this is "1.0.0".',
    ],
  ],
  [
    'a computed version',
    task('{ run: { workflow: { namespace: workspace, name: a, version: "${ 1 }" } } }'),
    ['2:69 EXPRESSION_NOT_ALLOWED "run.workflow.version" is fixed: no expression may stand here.'],
  ],
  [
    'one expression as input of a workflow',
    task(
      '{ run: { workflow: { namespace: workspace, name: a, version: latest, input: "${ $ }" } } }',
    ),
    [
      '2:84 WRONG_TYPE "run.workflow.input" must be a map (for one expression write input: { from: ... } beside "run"), not a string.',
    ],
  ],
  [
    'an unknown variable in the input of a workflow',
    task(
      '{ run: { workflow: { namespace: workspace, name: a, version: latest, input: { b: "${ $no }" } } } }',
    ),
    ['2:93 UNKNOWN_VARIABLE'],
  ],
  [
    'run.await',
    task('{ run: { workflow: { namespace: workspace, name: a, version: latest }, await: false } }'),
    ['2:79 REFUSED "await" in "run" is not offered by this service.'],
  ],
  [
    'run.return',
    task(
      '{ run: { workflow: { namespace: workspace, name: a, version: latest }, return: stdout } }',
    ),
    ['2:79 REFUSED "return" in "run" is not offered by this service.'],
  ],
  [
    'run.await alone',
    task('{ run: { await: true } }'),
    [
      '2:15 MISSING_KEY "workflow" is missing in "run"; a flow runs other flows of its workspace only.',
      '2:17 REFUSED "await" in "run" is not offered by this service.',
    ],
  ],
  [
    'an unknown field of a workflow',
    task('{ run: { workflow: { namespace: workspace, flow: a, version: latest } } }'),
    ['2:51 UNKNOWN_KEY'],
  ],
  [
    'a misspelt workflow',
    task('{ run: { worklow: { namespace: workspace, name: a, version: latest } } }'),
    ['2:17 UNKNOWN_KEY'],
  ],
  // listen
  [
    'listen to nothing',
    task('{ listen: {} }'),
    [
      '2:18 MISSING_KEY "to" is missing in "listen"; write to: { one: { with: { type: <name of a signal> } } }.',
    ],
  ],
  [
    'listen to an empty target',
    task('{ listen: { to: {} } }'),
    [
      '2:24 MISSING_KEY "one" is missing in "listen.to"; write one: { with: { type: <name of a signal> } }.',
    ],
  ],
  [
    'listen without a filter',
    task('{ listen: { to: { one: {} } } }'),
    ['2:31 MISSING_KEY "with" is missing in "listen.to.one".'],
  ],
  [
    'listen with an empty filter',
    task('{ listen: { to: { one: { with: {} } } } }'),
    ['2:39 MISSING_KEY "type" is missing in "listen.to.one.with".'],
  ],
  [
    'a number as signal',
    task('{ listen: { to: { one: { with: { type: 1 } } } } }'),
    ['2:47 WRONG_TYPE "listen.to.one.with.type" must be a string, not a number.'],
  ],
  [
    'a signal with dots',
    task('{ listen: { to: { one: { with: { type: com.example.paid } } } } }'),
    [
      '2:47 INVALID_VALUE "listen.to.one.with.type" must be the name of a signal, a letter, then letters, digits, "_" or "-", at most 64 characters; this is "com.example.paid".',
    ],
  ],
  [
    'a computed signal',
    task('{ listen: { to: { one: { with: { type: "${ $input.s }" } } } } }'),
    [
      '2:47 EXPRESSION_NOT_ALLOWED "listen.to.one.with.type" is fixed: no expression may stand here.',
    ],
  ],
  [
    'listen to a source',
    task('{ listen: { to: { one: { with: { type: a, source: b } } } } }'),
    ['2:50 REFUSED "source" in "listen.to.one.with" is not offered by this service.'],
  ],
  [
    'listen with a correlation',
    task('{ listen: { to: { one: { with: { type: a }, correlate: {} } } } }'),
    ['2:52 REFUSED "correlate" in "listen.to.one" is not offered by this service.'],
  ],
  ['listen to any', task('{ listen: { to: { any: [] } } }'), ['2:26 REFUSED']],
  ['listen to all', task('{ listen: { to: { all: [] } } }'), ['2:26 REFUSED']],
  [
    'listen until',
    task('{ listen: { to: { one: { with: { type: a } }, until: "${ 1 }" } } }'),
    ['2:54 REFUSED'],
  ],
  [
    'listen and read',
    task('{ listen: { to: { one: { with: { type: a } } }, read: data } }'),
    ['2:56 REFUSED "read" in "listen" is not offered by this service.'],
  ],
  [
    'listen for each',
    task('{ listen: { to: { one: { with: { type: a } } } }, foreach: {} }'),
    ['2:58 REFUSED'],
  ],
  ['an unknown field of a target', task('{ listen: { to: { signal: a } } }'), ['2:26 UNKNOWN_KEY']],
  ['one without to', task('{ listen: { one: { with: { type: a } } } }'), ['2:20 UNKNOWN_KEY']],
  // metadata of the flow
  [
    'onFailure without issue',
    'metadata: { onFailure: {} }\ndo: []',
    ['1:24 MISSING_KEY "issue" is missing in "metadata.onFailure".'],
  ],
  [
    'issue: yes',
    'metadata: { onFailure: { issue: yes } }\ndo: []',
    ['1:33 WRONG_TYPE "metadata.onFailure.issue" must be true or false, not a string.'],
  ],
  [
    'onFailure: true',
    'metadata: { onFailure: true }\ndo: []',
    ['1:24 WRONG_TYPE "metadata.onFailure" must be a map, not a boolean.'],
  ],
  [
    'a member in quotes on failure',
    'metadata: { onFailure: { issue: true, assignedUserId: "1" } }\ndo: []',
    [
      '1:55 INVALID_VALUE "metadata.onFailure.assignedUserId" must be the id of a member, a positive whole number without quotes; this is a string.',
    ],
  ],
  [
    'an unknown field of onFailure',
    'metadata: { onFailure: { issue: true, mail: a } }\ndo: []',
    ['1:39 UNKNOWN_KEY'],
  ],
  [
    'no runs at once',
    'metadata: { concurrency: 0 }\ndo: []',
    ['1:26 INVALID_VALUE "metadata.concurrency" must be a whole number from 1 to 1000.'],
  ],
  [
    '1001 runs at once',
    'metadata: { concurrency: 1001 }\ndo: []',
    ['1:26 INVALID_VALUE "metadata.concurrency" must be a whole number from 1 to 1000.'],
  ],
  [
    'a text as number of runs',
    'metadata: { concurrency: many }\ndo: []',
    ['1:26 WRONG_TYPE "metadata.concurrency" must be a whole number, not a string.'],
  ],
  [
    'a list as metadata',
    'metadata: []\ndo: []',
    ['1:11 WRONG_TYPE "metadata" must be a map, not a list.'],
  ],
];

describe('a file with a fault in one of the later kinds of tasks', () => {
  it.each(BAD)('%s', (_, text, expected) => {
    const faults = compile(text).faults.map(
      ({ line, column, code, message }) => `${line}:${column} ${code} ${message}`,
    );
    expect(faults).toEqual(
      expected.map((one) => (/^\S+ \S+$/.test(one) ? expect.stringContaining(`${one} `) : one)),
    );
    expect(faults).toHaveLength(expected.length);
  });
});

describe('the plan', () => {
  const taskOf = (content: string) => planOf(task(content)).tasks[0];
  const literal = (value: string | number) => ({ kind: 'literal', value });

  it('of an issue has the templates of its fields', () => {
    const text =
      '{ call: issue, with: { title: "No ${ $.id }", description: d, assignedUserId: 7, fingerprint: f } }';
    expect(taskOf(text)).toStrictEqual({
      name: 't',
      path: '/do/0/t',
      kind: 'call-issue',
      title: { kind: 'text', parts: ['No ', { source: '$.id', variables: [] }] },
      description: literal('d'),
      assignedUserId: literal(7),
      fingerprint: literal('f'),
    });
  });

  it('of an issue may have a member that an expression finds', () => {
    const text = '{ call: issue, with: { title: a, assignedUserId: " ${ $input.by } " } }';
    expect(taskOf(text)).toMatchObject({
      assignedUserId: { kind: 'expression', expression: { variables: ['input'] } },
    });
  });

  it('of an agent has its schema unevaluated, and no tools by default', () => {
    const schema = { type: 'object', description: '${ $nope }' };
    const text = JSON.stringify({ call: 'agent', with: { prompt: 'Sum up', schema } });
    expect(taskOf(text)).toStrictEqual({
      name: 't',
      path: '/do/0/t',
      kind: 'call-agent',
      prompt: literal('Sum up'),
      schema,
      tools: [],
    });
    const tools = '{ call: agent, with: { prompt: a, tools: [issues.list, api-keys.show] } }';
    expect(taskOf(tools)).toMatchObject({ tools: ['issues.list', 'api-keys.show'] });
  });

  it.each([1, 1_000])('of a loop has its %i rounds at once', (parallel) => {
    const text = `{ for: { in: "\${ $ }" }, metadata: { parallel: ${parallel}, note: a }, do: [] }`;
    expect(taskOf(text)).toMatchObject({ kind: 'for', parallel });
  });

  it('of a loop without metadata.parallel has none', () => {
    const text = '{ for: { in: "${ $ }" }, metadata: { note: a }, while: "${ $ }", do: [] }';
    expect(taskOf(text)).not.toHaveProperty('parallel');
  });

  it('of another task has no metadata', () => {
    expect(taskOf('{ do: [], metadata: { parallel: many } }')).toStrictEqual({
      name: 't',
      path: '/do/0/t',
      kind: 'do',
      tasks: [],
    });
  });

  it('of a fork has its branches with their paths', () => {
    const text = '{ fork: { branches: [{ u: { do: [{ v: { do: [] } }] } }, { w: { do: [] } }] } }';
    expect(taskOf(text)).toMatchObject({
      kind: 'fork',
      compete: false,
      branches: [
        {
          name: 'u',
          path: '/do/0/t/fork/branches/0/u',
          tasks: [{ name: 'v', path: '/do/0/t/fork/branches/0/u/do/0/v' }],
        },
        { name: 'w', path: '/do/0/t/fork/branches/1/w' },
      ],
    });
    expect(taskOf('{ fork: { compete: true, branches: [{ u: { do: [] } }] } }')).toMatchObject({
      compete: true,
    });
  });

  it.each(['continue', 'exit', 'end', 'u'])('of a branch may go on by "then: %s"', (then) => {
    const text = `{ fork: { branches: [{ u: { do: [], then: ${then} } }] } }`;
    expect(taskOf(text)).toMatchObject({ branches: [{ then }] });
  });

  it('of a branch may read the steps of another branch and of later tasks', () => {
    const text = `do:
  - f:
      fork:
        branches:
          - u: { set: { a: '\${ [$steps.v, $steps.last] }' } }
          - v: { set: { a: 1 } }
  - last: { set: { a: '\${ $steps.u }' } }`;
    expect(faultsOf(text)).toEqual([]);
  });

  it('of a run has the flow, the version and the template of the input', () => {
    const start = '{ run: { workflow: { namespace: workspace, name: ';
    expect(taskOf(`${start}order sync, version: latest } } }`)).toStrictEqual({
      name: 't',
      path: '/do/0/t',
      kind: 'run',
      flow: 'order sync',
      version: 'latest',
    });
    expect(taskOf(`${start}"7", version: "12", input: { a: "\${ $ }" } } } }`)).toMatchObject({
      flow: '7',
      version: '12',
      with: { kind: 'map', entries: [['a', { kind: 'expression' }]] },
    });
  });

  it('of listen has the signal', () => {
    expect(taskOf('{ listen: { to: { one: { with: { type: paid-1_a } } } } }')).toStrictEqual({
      name: 't',
      path: '/do/0/t',
      kind: 'listen',
      signal: 'paid-1_a',
    });
  });

  it('of the flow has what happens on failure, and its runs at once', () => {
    const flow = (metadata: string) => planOf(`metadata: ${metadata}\ndo: []`);
    const text = '{ onFailure: { issue: true, assignedUserId: 7 }, concurrency: 1000, more: [] }';
    expect(flow(text)).toMatchObject({ onFailure: { assignedUserId: 7 }, concurrency: 1_000 });
    expect(flow('{ onFailure: { issue: true } }').onFailure).toStrictEqual({});
    expect(flow('{ onFailure: { issue: false, assignedUserId: 7 } }')).not.toHaveProperty(
      'onFailure',
    );
  });
});

describe('the limits of a file', () => {
  const fork = (branches: number) => {
    const list = Array.from({ length: branches }, (_, i) => ({ [`b${i}`]: { do: [] } }));
    return JSON.stringify({ do: [{ f: { fork: { branches: list } } }] });
  };

  it('count the branches as tasks', () => {
    expect(faultsOf(fork(LIMITS.tasks - 1))).toEqual([]);
    const [fault, another] = compile(fork(LIMITS.tasks)).faults;
    expect(fault?.code).toBe('TOO_MANY_TASKS');
    expect(another).toBeUndefined();
  });

  it('count a branch as a level', () => {
    const nested = (levels: number): object =>
      levels === 0 ? { do: [] } : { fork: { branches: [{ [`n${levels}`]: nested(levels - 1) }] } };
    const file = (levels: number) => JSON.stringify({ do: [{ top: nested(levels) }] });
    expect(faultsOf(file(LIMITS.taskNesting - 1))).toEqual([]);
    expect(compile(file(LIMITS.taskNesting)).faults.map(({ code }) => code)).toEqual([
      'TASKS_TOO_DEEP',
    ]);
  });
});

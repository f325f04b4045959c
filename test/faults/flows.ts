/**
 * A flow whose calls have the run's tag and their own place in the run, so that the order of requests shows whether a
 * call was repeated after its journal entry. A place is a number, or `<branch>-<number>` in a branch of its own.
 */
export interface FaultFlow {
  name: string;
  /** The status with which its runs end. */
  status: 'SUCCESS' | 'FAILED';
  /** The number of different calls of a whole run. */
  calls: number;
  /** The number of calls that may be under way at once; 1 unless given. */
  atOnce?: number;
  /** The signals that its runs listen to. The body of each is `{tag, name}`. */
  signals?: readonly string[];
  /** The number of issues that each of its runs raises, with the run's tag as their title. */
  issues?: number;
  content: (url: string) => string;
}

const call = (url: string, name: string, place: string, kind = 'ok') =>
  `{ ${name}: { call: http, with: { method: post, endpoint: '\${ "${url}/${kind}/" & $input.tag & "/" & ${place} }' } } }`;

/** A task that runs a flow whose calls have places of that branch. */
const runFlow = (name: string, branch: string) =>
  `run: { workflow: { namespace: workspace, name: ${name}, version: latest, input: { tag: '\${ $input.tag }', branch: '\${ ${branch} }' } } }`;

export const FAULT_FLOWS: readonly FaultFlow[] = [
  {
    name: 'row',
    status: 'SUCCESS',
    calls: 2,
    content: (url) => `do:
  - a: { set: { x: 1 } }
  - ${call(url, 'one', '"1"')}
  - b: { set: { y: '\${ $.n }' } }
  - ${call(url, 'two', '"2"')}
`,
  },
  {
    name: 'rest',
    status: 'SUCCESS',
    calls: 2,
    content: (url) => `do:
  - ${call(url, 'one', '"1"')}
  - rest: { wait: { milliseconds: 400 } }
  - leave: { wait: { milliseconds: 1200 } }
  - ${call(url, 'two', '"2"')}
`,
  },
  {
    name: 'loop',
    status: 'SUCCESS',
    calls: 4,
    content: (url) => `do:
  - round:
      for: { in: '\${ [1..4] }' }
      do:
        - a: { set: { n: '\${ $item }' } }
        - ${call(url, 'hit', '$string($item)')}
`,
  },
  {
    name: 'try',
    status: 'SUCCESS',
    calls: 2,
    content: (url) => `do:
  - tried:
      try:
        - ${call(url, 'one', '"1"', 'flaky/1')}
      catch:
        errors: { with: { status: 503 } }
        retry: { delay: { milliseconds: 60 }, limit: { attempt: { count: 4 } } }
  - ${call(url, 'two', '"2"')}
`,
  },
  {
    name: 'fail',
    status: 'FAILED',
    calls: 1,
    content: (url) => `do:
  - ${call(url, 'one', '"1"')}
  - stop: { raise: { error: { type: https://example.com/stop, status: 500, title: STOP } } }
`,
  },
  {
    name: 'pure',
    status: 'SUCCESS',
    calls: 0,
    content: () => `do:
  - round: { for: { in: '\${ [1..20] }' }, do: [ { a: { set: { n: '\${ $item * 2 }' } } } ] }
`,
  },
  {
    name: 'fork',
    status: 'SUCCESS',
    calls: 6,
    atOnce: 2,
    content: (url) => `do:
  - ${call(url, 'first', '"1"')}
  - both:
      fork:
        branches:
          - left: { do: [ ${call(url, 'leftOne', '"left-1"')}, { rest: { wait: { milliseconds: 100 } } }, ${call(url, 'leftTwo', '"left-2"')} ] }
          - right: { do: [ ${call(url, 'rightOne', '"right-1"')}, { set1: { set: { x: 1 } } }, ${call(url, 'rightTwo', '"right-2"')} ] }
  - ${call(url, 'last', '"2"')}
`,
  },
  {
    name: 'race',
    status: 'SUCCESS',
    calls: 2,
    content: (url) => `do:
  - either:
      fork:
        compete: true
        branches:
          - never: { wait: { minutes: 5 } }
          - soon: { do: [ ${call(url, 'one', '"1"')}, { rest: { wait: { milliseconds: 1200 } } } ] }
  - ${call(url, 'two', '"2"')}
`,
  },
  {
    name: 'rounds',
    status: 'SUCCESS',
    calls: 13,
    atOnce: 3,
    content: (url) => `do:
  - each:
      metadata: { parallel: 3 }
      for: { in: '\${ [1..6] }' }
      do:
        - ${call(url, 'one', '"round" & $item & "-1"')}
        - ${call(url, 'two', '"round" & $item & "-2"')}
  - ${call(url, 'last', '"1"')}
`,
  },
  {
    name: 'leaf',
    status: 'SUCCESS',
    calls: 2,
    content: (url) => `do:
  - ${call(url, 'one', '($input.branch ? $input.branch : "leaf") & "-1"')}
  - rest: { wait: { milliseconds: 300 } }
  - leave: { wait: { milliseconds: 1100 } }
  - ${call(url, 'two', '($input.branch ? $input.branch : "leaf") & "-2"')}
`,
  },
  {
    name: 'middle',
    status: 'SUCCESS',
    calls: 2,
    content: () => `do:
  - child: { ${runFlow('leaf', '$input.branch')} }
`,
  },
  {
    name: 'family',
    status: 'SUCCESS',
    calls: 8,
    atOnce: 2,
    content: (url) => `do:
  - ${call(url, 'first', '"1"')}
  - alone: { ${runFlow('leaf', '"alone"')} }
  - each:
      metadata: { parallel: 2 }
      for: { in: '\${ [1..2] }' }
      do: [ { child: { ${runFlow('middle', '"round" & $item')} } } ]
  - ${call(url, 'last', '"2"')}
`,
  },
  {
    name: 'again',
    status: 'SUCCESS',
    calls: 5,
    content: (url) => `do:
  - init: { set: { n: 0 } }
  - add: { set: { n: '\${ n + 1 }' } }
  - ${call(url, 'poll', '$string($steps.add.n)')}
  - rest: { wait: { milliseconds: 20 } }
  - more: { switch: [ { again: { when: '\${ $steps.add.n < 5 }', then: back } } ], then: end }
  - back: { set: { n: '\${ $steps.add.n }' }, then: add }
`,
  },
];

const listenTo = (name: string) =>
  `{ ${name}: { listen: { to: { one: { with: { type: ${name} } } } } } }`;

/** The limits of runs at once of the flows that have one, and the names of these flows. */
export const LIMITS = [1, 3] as const;
export const LIMITED_FLOWS = LIMITS.map((limit) => `limited${limit}`);

/** Flows that need somebody beside them: a person who posts signals, or a look at the issues. */
export const ATTENDED_FLOWS: readonly FaultFlow[] = [
  {
    name: 'signals',
    status: 'SUCCESS',
    calls: 2,
    signals: ['go', 'more'],
    content: (url) => `do:
  - ${listenTo('go')}
  - ${call(url, 'one', '"1"')}
  - ${listenTo('more')}
  - ${call(url, 'two', '"2"')}
  - both: { set: { go: '\${ $steps.go }', more: '\${ $steps.more }' } }
`,
  },
  {
    name: 'issues',
    status: 'SUCCESS',
    calls: 2,
    issues: 3,
    content: (url) => `do:
  - round:
      for: { in: '\${ [1..2] }' }
      do:
        - raise: { call: issue, with: { title: '\${ $input.tag }' } }
        - ${call(url, 'hit', '$string($item)')}
  - joined:
      for: { in: '\${ [1..2] }' }
      do: [ { raised: { call: issue, with: { title: '\${ $input.tag }', fingerprint: '\${ $input.tag }' } } } ]
  - done: { set: { done: true } }
`,
  },
  ...LIMITS.map((limit) => ({
    name: `limited${limit}`,
    status: 'SUCCESS' as const,
    calls: 2,
    content: (url: string) => `metadata: { concurrency: ${limit} }
do:
  - ${call(url, 'one', '"1"', `limited/${limit}`)}
  - rest: { wait: { milliseconds: 1100 } }
  - ${call(url, 'two', '"2"', `limited/${limit}`)}
`,
  })),
];

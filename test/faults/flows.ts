/**
 * A flow whose calls have the run's tag and their own place in the run, so that the order of requests shows whether a
 * call was repeated after its journal entry.
 */
export interface FaultFlow {
  name: string;
  /** The status with which its runs end. */
  status: 'SUCCESS' | 'FAILED';
  /** The number of different calls of a whole run, one after another. */
  calls: number;
  content: (url: string) => string;
}

const call = (url: string, name: string, place: string, kind = 'ok') =>
  `{ ${name}: { call: http, with: { method: post, endpoint: '\${ "${url}/${kind}/" & $input.tag & "/" & ${place} }' } } }`;

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
  - leave: { wait: { milliseconds: 1_200 } }
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
];

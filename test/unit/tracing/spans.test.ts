import {
  presentService,
  recordSpans,
  type Span,
  type SpanStart,
  spanIn,
} from '../../../support/tracing/spans.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const START: SpanStart = {
  name: 'run',
  kind: 'internal',
  service: 'runs',
  attributes: { 'flow.id': 1 },
};

const fail = jest.fn();
const end = jest.fn();
const span: Span = {
  traceparent: PARENT,
  set: () => undefined,
  rename: () => undefined,
  fail,
  end,
};
const begin = jest.fn(() => span);
const startOf = jest.fn(() => START);

test('the begin of a span is made only where spans are recorded', async () => {
  const work = () => spanIn(PARENT, startOf, async (_, given) => given);
  expect(await work()).toBeNull();
  expect(startOf).not.toHaveBeenCalled();
  recordSpans({ begin });
  expect(await work()).toBe(span);
  expect(begin).toHaveBeenCalledWith(PARENT, START);
});

test('the work of a span is that of its service, and of the service around it again afterwards', async () => {
  recordSpans({ begin });
  await spanIn(PARENT, startOf, async () => {
    await spanIn(
      PARENT,
      () => ({ ...START, service: 'issues' }),
      async () => expect(presentService()).toBe('issues'),
    );
    await spanIn(
      PARENT,
      () => ({ ...START, service: undefined }),
      async () => expect(presentService()).toBe('runs'),
    );
    expect(presentService()).toBe('runs');
  });
  expect(presentService()).toBeUndefined();
});

const problem = (code: number, type: string) => Object.assign(new Error('x'), { code, type });

test.each([
  ['a problem of ours by its code', problem(503, 'UNAVAILABLE'), 'UNAVAILABLE'],
  [
    'a failure of a connection by its code',
    Object.assign(new Error('x'), { code: 'ECONNRESET' }),
    'ECONNRESET',
  ],
  ['a defect by the name of its error', new TypeError('x'), 'TypeError'],
])('a span tells %s', async (_, error, type) => {
  recordSpans({ begin });
  fail.mockClear();
  await expect(spanIn(PARENT, startOf, () => Promise.reject(error))).rejects.toBe(error);
  expect(fail.mock.calls).toEqual([[type]]);
});

test('a span that refuses its caller has ended, and has not failed', async () => {
  recordSpans({ begin });
  fail.mockClear();
  end.mockClear();
  const refusal = problem(404, 'NOT_FOUND');
  await expect(spanIn(PARENT, startOf, () => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(fail).not.toHaveBeenCalled();
  expect(end).toHaveBeenCalledTimes(1);
});

import { type Attributes, recordSpans, type Span, spanIn } from '../../../support/tracing/spans.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const span: Span = {
  traceparent: PARENT,
  set: () => undefined,
  rename: () => undefined,
  end: () => undefined,
};

test('the attributes of a span are made only where spans are recorded', async () => {
  const attributesOf = jest.fn((): Attributes => ({ 'flow.id': 1 }));
  const work = () => spanIn(PARENT, 'run', 'run', attributesOf, async (_, given) => given);
  expect(await work()).toBeNull();
  expect(attributesOf).not.toHaveBeenCalled();
  const begin = jest.fn(() => span);
  recordSpans({ begin });
  expect(await work()).toBe(span);
  expect(begin).toHaveBeenCalledWith(PARENT, 'run', 'run', { 'flow.id': 1 });
});

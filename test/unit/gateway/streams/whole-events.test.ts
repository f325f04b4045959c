import { WholeEvents } from '../../../../mixins/gateway/streams/whole-events.ts';

const TEXT = 'event: a\ndata: Größe €\n\nevent: b\ndata: 2\n\n';

it.each([1, 2, 3, 5, 7, 1_000])('gives whole events of chunks of %d bytes', (length) => {
  const bytes = Buffer.from(TEXT);
  const events = new WholeEvents();
  const taken: string[] = [];
  for (let at = 0; at < bytes.length; at += length) {
    const text = events.take(bytes.subarray(at, at + length));
    if (text) taken.push(text);
  }
  expect(taken.join('')).toBe(TEXT);
  for (const text of taken) expect(text.endsWith('\n\n')).toBe(true);
});

it('keeps an event whose end has not come', () => {
  const events = new WholeEvents();
  expect(events.take('event: a\n\nevent: b\nda')).toBe('event: a\n\n');
  expect(events.take('ta: 1\n')).toBe('');
  expect(events.take('\n')).toBe('event: b\ndata: 1\n\n');
});

it('refuses an event that never ends', () => {
  const events = new WholeEvents();
  expect(() => {
    for (let n = 0; n < 100; n++) events.take('x'.repeat(65_536));
  }).toThrow('too long');
});

import {
  summarizeRequest,
  summarizeResponse,
} from '../../../services/runs/engine/execution/effects/exchange-summaries.ts';
import { createMask } from '../../../support/masking/mask.ts';

const CANARY = 'canary/4711?secret';
const mask = createMask([CANARY]);

const request = (url: string, headers: Record<string, string>[] = [], body: string | null = null) =>
  summarizeRequest({ method: 'POST', url, headers, body }, mask);

describe('the address of a request', () => {
  test.each([
    ['keeps the names of its query', 'https://a.test/b?c=d&e=f', 'https://a.test/b?c=***&e=***'],
    ['hides what is a value alone', 'https://a.test/?token&x=', 'https://a.test/?***&x=***'],
    ['has neither name nor password', 'http://me:pass@a.test/b', 'http://a.test/b'],
    ['has no fragment', 'https://a.test/b#c', 'https://a.test/b'],
    ['keeps its port', 'http://a.test:81/b', 'http://a.test:81/b'],
    ['hides a secret of its path', `https://a.test/x/${CANARY}/y`, 'https://a.test/x/***/y'],
    [
      'hides an encoded secret of its path',
      `https://a.test/${encodeURIComponent(CANARY)}/y`,
      'https://a.test/***/y',
    ],
    [
      'hides a secret that a line break divides',
      'https://a.test/x/canary%2F47\n11%3Fsecret',
      'https://a.test/x/***',
    ],
    [
      'hides a secret that is the name of a value',
      `https://a.test/?${CANARY}=1`,
      'https://a.test/?***=***',
    ],
    ['is hidden when it is none', CANARY, '***'],
  ])('%s', (_, url, shown) => {
    expect(request(url).url).toBe(shown);
  });

  test('is cut after its secrets are masked', () => {
    const shown = request(`https://a.test/${'x'.repeat(1_980)}/${CANARY}/y`).url;
    expect(shown.endsWith('x/***…')).toBe(true);
    expect(request(`https://a.test/${'x'.repeat(3_000)}`).url).toHaveLength(2_000);
  });
});

test('a request has the names of all its headers, once and in order, and the bytes of its body', () => {
  const headers: Record<string, string>[] = [{ B: '1', 'x-canary': '2' }, { a: '3' }];
  headers.push({ b: '4', [CANARY]: '5' });
  expect(request('https://a.test/', headers, 'ä€')).toEqual({
    method: 'POST',
    url: 'https://a.test/',
    headerNames: ['a', 'b', '***', 'x-canary'],
    bytes: 5,
  });
});

test('a response has its status, names of headers that are bounded, and the bytes of its body', () => {
  const names = Array.from({ length: 150 }, (_, n) => `x-${n}-${'y'.repeat(200)}`);
  const summary = summarizeResponse(
    {
      status: 404,
      headers: Object.fromEntries(names.map((name) => [name, CANARY])),
      body: Buffer.alloc(7),
      truncated: false,
      url: 'https://a.test/',
    },
    mask,
  );
  expect(summary).toMatchObject({ status: 404, bytes: 7 });
  expect(summary.headerNames).toHaveLength(100);
  expect(Math.max(...summary.headerNames.map(({ length }) => length))).toBe(100);
});

import { isLocalRequest } from '../../../../mixins/gateway/routing/local-request.ts';

const from = (remoteAddress: string | undefined, headers = {}) =>
  isLocalRequest({ headers: { host: 'localhost:3000', ...headers }, socket: { remoteAddress } });

it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('is one from %s', (peer) => {
  expect(from(peer)).toBe(true);
});

it.each(['192.0.2.1', '10.0.0.1', '::ffff:192.0.2.1', 'fe80::1%lo', undefined])(
  'is none from %s, whatever host it names',
  (peer) => {
    expect(from(peer)).toBe(false);
  },
);

it.each([
  { via: '1.1 proxy' },
  { 'x-real-ip': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1' },
  { 'x-forwarded-for': '127.0.0.1' },
  { host: 'evil.example' },
])('is none with %p', (headers) => {
  expect(from('127.0.0.1', headers)).toBe(false);
});

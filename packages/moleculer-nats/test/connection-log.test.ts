import { jest } from '@jest/globals';
import { ConnectionLog } from '../connection-log.ts';

const lines: string[] = [];
const logger = {
  warn: (line: string) => void lines.push(`warn ${line}`),
  info: (line: string) => void lines.push(`info ${line}`),
  error: (line: string) => void lines.push(`error ${line}`),
};

beforeEach(() => {
  jest.useFakeTimers();
  lines.length = 0;
});
afterEach(() => jest.useRealTimers());

test('trouble is logged once, when it changes, and once a minute while it lasts', () => {
  const log = new ConnectionLog(logger, 'nats:4222');
  for (let second = 0; second < 50; second++) {
    log.trouble('CONNECTION_REFUSED');
    jest.advanceTimersByTime(1_000);
  }
  expect(lines).toEqual(['warn No connection to NATS at nats:4222: CONNECTION_REFUSED']);
  log.trouble('AUTHORIZATION_VIOLATION');
  log.trouble();
  expect(lines[1]).toContain('AUTHORIZATION_VIOLATION');
  jest.advanceTimersByTime(61_000);
  log.trouble();
  expect(lines).toHaveLength(3);
});

test('the end of trouble is logged once, and nothing without trouble', () => {
  const log = new ConnectionLog(logger, 'nats:4222');
  log.trouble();
  log.connected();
  expect(lines).toEqual([]);
  log.trouble('the connection ended');
  log.connected();
  log.connected();
  expect(lines.slice(1)).toEqual(['info Connected to NATS at nats:4222']);
  log.trouble('the connection ended');
  expect(lines).toHaveLength(3);
});

test('a missing permission is logged once', () => {
  const log = new ConnectionLog(logger, 'nats:4222');
  log.refused('publish', 'a');
  log.refused('publish', 'a');
  log.refused('subscription', 'a');
  expect(lines).toEqual([
    'error NATS lets this process not do what it needs: publish a',
    'error NATS lets this process not do what it needs: subscription a',
  ]);
});

test('an invalid message is logged once a minute for each subject', () => {
  const log = new ConnectionLog(logger, 'nats:4222');
  for (let n = 0; n < 50; n++) log.invalidMessage('a', 'it is no probe');
  log.invalidMessage('b', 'it is no probe');
  expect(lines).toEqual([
    'warn A message to a was not valid: it is no probe',
    'warn A message to b was not valid: it is no probe',
  ]);
  jest.advanceTimersByTime(61_000);
  log.invalidMessage('a', 'it is no probe');
  expect(lines).toHaveLength(3);
});

import { jest } from '@jest/globals';
import { ResponseOutbox } from '../response-outbox.ts';

const DATA = new Uint8Array([1]);
let up = true;
let sent: { subject: string; id: string }[] = [];
let answers: ResponseOutbox;
let refused: string | undefined;
let errors: string[] = [];

beforeEach(() => {
  jest.useFakeTimers();
  up = true;
  sent = [];
  refused = undefined;
  errors = [];
  const publish = (subject: string, _: Uint8Array, id: string) => {
    if (subject === refused) throw new Error('MAX_PAYLOAD_EXCEEDED');
    sent.push({ subject, id });
  };
  answers = new ResponseOutbox({
    isUp: () => up,
    publish,
    onRefused: ({ message }) => errors.push(message),
  });
});
afterEach(() => jest.useRealTimers());

const subjects = () => sent.map(({ subject }) => subject);
const lastId = () => sent.at(-1)?.id ?? '';

test('an answer that was heard is sent once and forgotten', () => {
  answers.send('a', DATA);
  jest.advanceTimersByTime(60_000);
  expect(subjects()).toEqual(['a']);
  expect(answers.onNoResponders(lastId())).toBe(false);
  expect(jest.getTimerCount()).toBe(0);
});

test('an answer that nobody listened to is sent again until somebody does', () => {
  answers.send('a', DATA);
  expect(answers.onNoResponders(lastId())).toBe(true);
  jest.advanceTimersByTime(300);
  expect(subjects()).toEqual(['a', 'a']);
  jest.advanceTimersByTime(60_000);
  expect(subjects()).toEqual(['a', 'a']);
});

test('but for no longer than its caller waits', () => {
  answers.send('a', DATA);
  for (let again = 0; again < 1_000 && answers.onNoResponders(lastId()); again++) {
    jest.advanceTimersByTime(300);
  }
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.length).toBeLessThan(100);
});

test('answers wait for the connection, the oldest no longer than their callers', () => {
  up = false;
  answers.send('old', DATA);
  jest.advanceTimersByTime(9_000);
  answers.send('new', DATA);
  jest.advanceTimersByTime(2_000);
  expect(sent).toEqual([]);
  up = true;
  answers.resume();
  expect(subjects()).toEqual(['new']);
});

test('no more of them are kept than fit', () => {
  up = false;
  for (let n = 0; n < 300; n++) answers.send(`${n}`, new Uint8Array(1024 * 1024));
  up = true;
  answers.resume();
  expect(sent.length).toBeLessThan(100);
  expect(subjects().at(-1)).toBe('299');
});

test('what was sent just before the connection ended is sent again', () => {
  answers.send('a', DATA);
  jest.advanceTimersByTime(300);
  answers.send('b', DATA);
  up = false;
  jest.advanceTimersByTime(5_000);
  answers.send('c', DATA);
  up = true;
  answers.resume();
  expect(subjects()).toEqual(['a', 'b', 'a', 'b', 'c']);
});

test('what is no answer of ours is left to others', () => {
  expect(answers.onNoResponders('a-call')).toBe(false);
});

test('one that the server of now refuses takes no other with it', () => {
  up = false;
  for (const subject of ['a', 'large', 'b']) answers.send(subject, DATA);
  up = true;
  refused = 'large';
  answers.resume();
  expect(subjects()).toEqual(['a', 'b']);
  expect(errors).toEqual(['MAX_PAYLOAD_EXCEEDED']);
});

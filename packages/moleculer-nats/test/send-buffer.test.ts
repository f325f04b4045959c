import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Message, SendBuffer } from '../send-buffer.ts';

const messageOf = (subject: string, bytes = 10): Message => ({
  subject,
  data: new Uint8Array(bytes),
  id: undefined,
});

let sent: string[];
let unsent: string[];
let isOpen: boolean;
let buffer: SendBuffer;

beforeEach(() => {
  sent = [];
  unsent = [];
  isOpen = true;
  buffer = new SendBuffer({
    publish({ subject }) {
      if (!isOpen || subject === 'refused') throw new Error('CONNECTION_CLOSED');
      sent.push(subject);
    },
    onUnsent: ({ subject }, { message }) => unsent.push(`${subject}: ${message}`),
  });
});

const addAll = (...subjects: string[]) => {
  for (const subject of subjects) buffer.add(messageOf(subject));
};

test('the messages of one turn leave together at its end, in order', async () => {
  addAll('a', 'b');
  await Promise.resolve(); // still the same turn
  addAll('c');
  expect(sent).toEqual([]);
  await nextTurn();
  expect(sent).toEqual(['a', 'b', 'c']);
  addAll('d');
  expect(sent).toEqual(['a', 'b', 'c']);
  await nextTurn();
  expect(sent).toEqual(['a', 'b', 'c', 'd']);
});

test('what is sent while messages leave keeps the order and leaves in the next turn', async () => {
  buffer = new SendBuffer({
    publish({ subject }) {
      sent.push(subject);
      if (subject === 'a') addAll('c');
    },
    onUnsent: () => undefined,
  });
  addAll('a', 'b');
  await nextTurn();
  await nextTurn();
  expect(sent).toEqual(['a', 'b', 'c']);
});

test('no more than 32 KiB wait for the end of the turn', async () => {
  addAll('first');
  buffer.add(messageOf('large', 32 * 1024));
  expect(sent).toEqual(['first', 'large']);
  addAll('last');
  expect(sent).toEqual(['first', 'large']);
  await nextTurn();
  expect(sent).toEqual(['first', 'large', 'last']);
});

test('a flush sends what there is, once', async () => {
  addAll('a', 'b');
  buffer.flush();
  expect(sent).toEqual(['a', 'b']);
  await nextTurn();
  expect(sent).toEqual(['a', 'b']);
});

test('each message that a connection did not take is told, and kept no longer', async () => {
  addAll('a', 'b');
  isOpen = false;
  await nextTurn();
  expect(unsent).toEqual(['a: CONNECTION_CLOSED', 'b: CONNECTION_CLOSED']);
  isOpen = true;
  addAll('c');
  await nextTurn();
  expect(sent).toEqual(['c']);
});

test('a message that is refused takes no other with it', async () => {
  addAll('a', 'refused', 'b');
  await nextTurn();
  expect(sent).toEqual(['a', 'b']);
  expect(unsent).toEqual(['refused: CONNECTION_CLOSED']);
});

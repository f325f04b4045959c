import { paramsOf } from '../../../contract/contract.ts';
import { faultsOf } from '../../../contract/zod-faults.ts';
import { installZodMessages } from '../../../contract/zod-messages.ts';
import { recordingsContract } from '../../../services/recordings/recordings.contract.ts';
import { validated } from './recorded.ts';

installZodMessages();

/** The places and codes of the faults of a batch. */
function faults(events: unknown): string[][] {
  const params = { id: 1, sequence: 1, events };
  const { error } = paramsOf(recordingsContract.actions.appendEvents).safeParse(params);
  if (!error) return [];
  return faultsOf(error, params, () => 'body').map(({ path, code }) => [path, code]);
}

const MOVE = { type: 'MOVE', afterMs: 0, x: 1, y: 2 };

it.each([
  ['an unknown type', { type: 'HOVER' }, 'type', 'invalid_value'],
  ['no type', {}, 'type', 'required'],
  ['no time', { ...MOVE, afterMs: undefined }, 'afterMs', 'required'],
  ['a time before the last event', { ...MOVE, afterMs: -1 }, 'afterMs', 'too_small'],
  ['a broken time', { ...MOVE, afterMs: 0.5 }, 'afterMs', 'invalid_type'],
  ['a pause of more than a day', { ...MOVE, afterMs: 86_400_001 }, 'afterMs', 'too_big'],
  ['a coordinate as text', { ...MOVE, x: '1' }, 'x', 'invalid_type'],
  ['NaN', { ...MOVE, x: Number.NaN }, 'x', 'invalid_type'],
  ['infinity', { ...MOVE, y: Number.POSITIVE_INFINITY }, 'y', 'invalid_type'],
  ['null', { ...MOVE, y: null }, 'y', 'invalid_type'],
  ['a negative coordinate', { ...MOVE, x: -1 }, 'x', 'too_small'],
  ['a field of another type', { ...MOVE, button: 'LEFT' }, 'button', 'unknown_field'],
  ['a drag without a target', { ...MOVE, type: 'DRAG', toX: 1 }, 'toY', 'required'],
  ['an unknown button', { ...MOVE, type: 'CLICK', button: 'left' }, 'button', 'invalid_value'],
  ['a scroll without a distance', { ...MOVE, type: 'SCROLL', dx: 1 }, 'dy', 'required'],
  ['a key without a name', { type: 'KEY', afterMs: 0 }, 'key', 'required'],
  ['half a character', { type: 'KEY', afterMs: 0, key: '\ud83d' }, 'key', 'invalid_format'],
  ['a position of a key', { type: 'KEY', afterMs: 0, key: 'a', x: 1 }, 'x', 'unknown_field'],
  ['a text with U+0000', { type: 'TEXT', afterMs: 0, text: '\0' }, 'text', 'invalid_value'],
  ['a text of 10,001', { type: 'TEXT', afterMs: 0, text: 'x'.repeat(10_001) }, 'text', 'too_big'],
  ['a word for masked', { type: 'TEXT', afterMs: 0, masked: 'yes' }, 'masked', 'invalid_type'],
  [
    'a screen without a scale',
    { ...MOVE, screen: { width: 1, height: 1 } },
    'screen.scale',
    'required',
  ],
  [
    'a screen of no width',
    { ...MOVE, screen: { width: 0, height: 1, scale: 1 } },
    'screen.width',
    'too_small',
  ],
])('an event with %s is refused by name', (_what, event, field, code) => {
  expect(faults([MOVE, event])).toEqual([[`events.1.${field}`, code]]);
});

it('takes 1 to 1,000 events', () => {
  const batch = (events: number) => Array.from({ length: events }, () => MOVE);
  expect([0, 1, 1_000, 1_001].map((events) => faults(batch(events)))).toEqual([
    [['events', 'too_small']],
    [],
    [],
    [['events', 'too_big']],
  ]);
});

it('leaves the secret input of masked events out', () => {
  expect(
    validated([
      { type: 'TEXT', afterMs: 1, text: 'hunter2', masked: true },
      { type: 'TEXT', afterMs: 2, masked: true },
      { type: 'KEY', afterMs: 3, key: 'h', masked: true },
    ]),
  ).toEqual([
    { type: 'TEXT', afterMs: 1, masked: true },
    { type: 'TEXT', afterMs: 2, masked: true },
    { type: 'KEY', afterMs: 3, masked: true },
  ]);
});

it('gives equal events the same fields in the same order', () => {
  const [one, other] = validated([
    { type: 'CLICK', afterMs: 1, x: 2, y: 3 },
    { button: 'LEFT', y: 3, x: 2, afterMs: 1, type: 'CLICK' },
  ]);
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
});

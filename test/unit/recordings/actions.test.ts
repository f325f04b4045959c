import { actionsOf } from './recorded.ts';

const POINT = { x: 25, y: 25, nx: 0.25, ny: 0.5 };
const at = (x: number, y: number) => ({ x, y, nx: x / 100, ny: y / 50 });
const move = (afterMs: number, x: number, y: number) => ({ type: 'MOVE', afterMs, x, y });
const wait = (afterMs: number) => ({ type: 'WAIT', afterMs });
const click = (afterMs: number, more: object = {}) => ({
  type: 'CLICK',
  afterMs,
  x: 25,
  y: 25,
  ...more,
});
const key = (afterMs: number, name: string) => ({ type: 'KEY', afterMs, key: name });
const masked = (afterMs: number) => ({ type: 'KEY', afterMs, masked: true });
const drag = (afterMs: number, from: number, to: number, more: object = {}) => ({
  ...{ type: 'DRAG', afterMs, x: from, y: 0, toX: to, toY: 0 },
  ...more,
});

it('leaves movements and pauses out, and gives their time to the next action', () => {
  expect(actionsOf([move(5, 1, 1), wait(100), move(7, 2, 2), click(8)])).toEqual([
    { type: 'CLICK', ...POINT, button: 'LEFT', afterMs: 120, durationMs: 0 },
  ]);
});

it('ends with the time after the last action', () => {
  expect(actionsOf([click(1), move(4, 50, 10), wait(5)])).toEqual([
    { type: 'CLICK', ...POINT, button: 'LEFT', afterMs: 1, durationMs: 0 },
    { type: 'WAIT', ...at(50, 10), afterMs: 9, durationMs: 0 },
  ]);
  expect([actionsOf([]), actionsOf([move(0, 1, 1)])]).toEqual([[], []]);
});

it('keeps the fields of clicks and scrolls', () => {
  expect(
    actionsOf([
      click(1, { type: 'DOUBLE_CLICK', button: 'RIGHT' }),
      { type: 'SCROLL', afterMs: 2, x: 25, y: 25, dx: 0, dy: -120.504 },
    ]),
  ).toEqual([
    { type: 'DOUBLE_CLICK', ...POINT, button: 'RIGHT', afterMs: 1, durationMs: 0 },
    { type: 'SCROLL', ...POINT, dx: 0, dy: -120.5, afterMs: 2, durationMs: 0 },
  ]);
});

it('joins characters in a row into one text, over batches, movements and pauses', () => {
  expect(
    actionsOf(
      [key(9, 'H'), key(20, 'i')],
      [move(30, 25, 25), wait(40), key(50, ' '), key(1, '👋🏽')],
    ),
  ).toEqual([{ type: 'TEXT', text: 'Hi 👋🏽', afterMs: 9, durationMs: 141 }]);
});

it('keeps other keys, and texts that came as such, apart', () => {
  expect(
    actionsOf([
      key(1, 'a'),
      key(2, 'Backspace'),
      key(3, 'b'),
      { type: 'TEXT', afterMs: 4, text: 'pasted' },
      key(5, 'c'),
      key(6, 'Control+c'),
    ]).map(({ type, text, key }) => [type, text ?? key]),
  ).toEqual([
    ['TEXT', 'a'],
    ['KEY', 'Backspace'],
    ['TEXT', 'b'],
    ['TEXT', 'pasted'],
    ['TEXT', 'c'],
    ['KEY', 'Control+c'],
  ]);
});

it('shows masked input without its text, and masked keys in a row as one', () => {
  expect(
    actionsOf(
      [masked(1), masked(2)],
      [masked(3), { type: 'TEXT', afterMs: 4, text: 'hunter2', masked: true }, key(5, 'Enter')],
    ),
  ).toEqual([
    { type: 'TEXT', masked: true, afterMs: 1, durationMs: 5 },
    { type: 'TEXT', masked: true, afterMs: 4, durationMs: 0 },
    { type: 'KEY', key: 'Enter', afterMs: 5, durationMs: 0 },
  ]);
});

it('joins drags of which each begins where the one before ends', () => {
  expect(actionsOf([drag(1, 0, 10), drag(2, 10, 20)], [wait(3), drag(4, 20, 30)])).toEqual([
    {
      type: 'DRAG',
      ...at(0, 0),
      ...{ toX: 30, toY: 0, ntoX: 0.3, ntoY: 0, button: 'LEFT' },
      ...{ afterMs: 1, durationMs: 9 },
    },
  ]);
});

it.each([
  ['begins elsewhere', [drag(1, 0, 10), drag(1, 11, 20)]],
  ['has another button', [drag(1, 0, 10), drag(1, 10, 20, { button: 'MIDDLE' })]],
  ['comes after a movement', [drag(1, 0, 10), move(1, 10, 0), drag(1, 10, 20)]],
  ['comes after a click', [drag(1, 0, 10), click(1, { x: 10, y: 0 }), drag(1, 10, 20)]],
  [
    'is on another screen',
    [drag(1, 0, 10), drag(1, 10, 20, { screen: { width: 200, height: 50, scale: 1 } })],
  ],
])('does not join a drag that %s', (_what, events) => {
  expect(actionsOf(events).filter(({ type }) => type === 'DRAG')).toHaveLength(2);
});

it('names the screen of an action that is not that of the recording', () => {
  const other = { width: 50, height: 50, scale: 2 };
  const own = { width: 100, height: 50, scale: 1 };
  const scaled = { ...own, scale: 2 };
  const screens = actionsOf(
    [click(1), click(1, { screen: other }), key(1, 'a')],
    [key(1, 'Enter'), click(1, { screen: own }), click(1, { screen: scaled })],
  ).map(({ screen, nx }) => [screen, nx]);
  expect(screens).toEqual([
    [undefined, 0.25],
    [other, 0.5],
    [other, 0.5],
    [other, 0.5],
    [undefined, 0.25],
    [scaled, 0.25],
  ]);
});

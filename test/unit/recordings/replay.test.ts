import fc from 'fast-check';
import { splitTemplate } from '../../../packages/flow-language/language/template-text.ts';
import type { Screen } from '../../../services/recordings/contract/event-fields.ts';
import type { RecordedAction } from '../../../services/recordings/contract/resources.ts';
import { writeSteps } from '../../../services/recordings/steps/write-steps.ts';
import { actionsOf, SCREEN } from './recorded.ts';

/** An event as it is sent, with the fields of every type. */
interface Event {
  type: string;
  afterMs: number;
  x: number;
  y: number;
  toX: number;
  toY: number;
  button: string;
  key: string;
  masked: boolean;
  screen?: Screen;
}

/** A place on a screen, and normalised. */
const placeOf = (x: number, y: number, screen: Screen) =>
  [x, y, (x / screen.width).toFixed(6), (y / screen.height).toFixed(6), screen.width].join(' ');

/** Something that a person has done, from a time to a time, with the pointer in a place. */
interface Deed {
  from: number;
  until: number;
  place: string | null;
  what: string;
  /** The row that the deed may be a part of: another one that follows it continues it. */
  row?: string;
  text?: string;
  target?: string;
}

/** Watches somebody: tells each deed by itself, and movements, which end a row of drags. */
function watch(events: readonly Event[]): { deeds: (Deed | 'moved')[]; end: number } {
  let now = 0;
  let screen = SCREEN;
  let place: string | null = null;
  const deeds: (Deed | 'moved')[] = [];
  const act = (what: string, more: Partial<Deed> = {}) =>
    deeds.push({ from: now, until: now, place, what, ...more });
  for (const event of events) {
    now += event.afterMs;
    screen = event.screen ?? screen;
    const there = placeOf(event.x, event.y, screen);
    if (/MOVE|CLICK|DRAG|SCROLL/.test(event.type)) place = there;
    if (event.type === 'MOVE') deeds.push('moved');
    if (/CLICK/.test(event.type)) act(`${event.type} ${event.button}`);
    if (event.type === 'SCROLL') act('SCROLL');
    if (event.type === 'DRAG') {
      const target = placeOf(event.toX, event.toY, screen);
      act(`DRAG ${event.button}`, { row: 'drag', target });
      place = target;
    }
    if (event.type === 'TEXT') act('TEXT', event.masked ? {} : { text: event.key });
    if (event.type === 'KEY') {
      if (event.masked) act('TEXT', { row: 'secret' });
      else if ([...event.key].length > 1) act(`KEY ${event.key}`);
      else act('TEXT', { row: 'typed', text: event.key });
    }
  }
  return { deeds, end: now };
}

/** Puts the deeds of a row together. */
function inRows(deeds: readonly (Deed | 'moved')[]): Omit<Deed, 'row'>[] {
  const told: Deed[] = [];
  let mayDragOn = false;
  for (const deed of deeds) {
    if (deed === 'moved') {
      mayDragOn = false;
      continue;
    }
    const last = told.at(-1);
    const goesOn =
      deed.row === 'drag'
        ? mayDragOn && last?.what === deed.what && last.target === deed.place
        : deed.row !== undefined && last?.row === deed.row;
    if (last && goesOn) {
      last.until = deed.until;
      if (deed.target !== undefined) last.target = deed.target;
      if (deed.text !== undefined) last.text += deed.text;
    } else told.push({ ...deed });
    mayDragOn = deed.row === 'drag';
  }
  return told.map(({ row: _row, ...deed }) => deed);
}

/** Does what the steps say, as a workflow that has them would. */
function replay(actions: readonly RecordedAction[]): { deeds: Omit<Deed, 'row'>[]; end: number } {
  let now = 0;
  const deeds: Omit<Deed, 'row'>[] = [];
  for (const { definition } of writeSteps(actions)?.steps ?? []) {
    const action = definition.set.action;
    const { type, x, y, nx, ny, toX, toY, screen = SCREEN } = action;
    const from = now + action.afterMs;
    now = from + action.durationMs;
    if (type === 'WAIT') continue;
    const place = x === undefined || y === undefined ? null : placeOf(x, y, screen);
    expect(place?.split(' ').slice(2, 4).map(Number)).toEqual(
      nx === undefined ? undefined : [nx, ny],
    );
    const detail = action.button ?? (action.key === undefined ? '' : literal(action.key));
    const what = `${type} ${detail}`.trim();
    const text = action.text === undefined ? {} : { text: literal(action.text) };
    const isDrag = toX !== undefined && toY !== undefined;
    const target = isDrag ? { target: placeOf(toX, toY, screen) } : {};
    deeds.push({ from, until: now, place, what, ...text, ...target });
  }
  return { deeds, end: now };
}

/** The value of a text in a flow file that has no expression. */
function literal(text: string): string {
  const split = splitTemplate(text);
  if (!('segments' in split)) throw new Error(`an expression does not end: ${text}`);
  return split.segments
    .map((segment) => {
      if (segment.kind !== 'text') throw new Error(`an expression: ${segment.source}`);
      return segment.text;
    })
    .join('');
}

// Few places and keys, so that rows are frequent.
const coordinate = fc.constantFrom(0, 1, 2, 30);
const event: fc.Arbitrary<Event> = fc.record(
  {
    type: fc.constantFrom('MOVE', 'CLICK', 'DOUBLE_CLICK', 'DRAG', 'SCROLL', 'KEY', 'TEXT', 'WAIT'),
    afterMs: fc.integer({ min: 0, max: 50 }),
    ...{ x: coordinate, y: coordinate, toX: coordinate, toY: coordinate },
    button: fc.constantFrom('LEFT', 'RIGHT'),
    key: fc.constantFrom('a', '$', '{', '}', 'é', '😀', 'Enter', 'Backspace', 'Control+c'),
    masked: fc.constantFrom(false, false, true),
    screen: fc.constantFrom(SCREEN, { width: 200, height: 75, scale: 1.5 }),
  },
  { requiredKeys: ['type', 'afterMs', 'x', 'y', 'toX', 'toY', 'button', 'key', 'masked'] },
);
const batches = fc.array(fc.array(event, { minLength: 1, maxLength: 12 }), { maxLength: 5 });

/** The event with the fields of its type alone. */
function sent({ type, afterMs, screen, ...event }: Event): object {
  const { x, y, toX, toY, button, key, masked } = event;
  const common = { type, afterMs, ...(screen ? { screen } : {}) };
  if (type === 'WAIT') return common;
  if (type === 'KEY') return { ...common, key, masked };
  if (type === 'TEXT') return { ...common, text: key, masked };
  if (type === 'MOVE') return { ...common, x, y };
  if (type === 'SCROLL') return { ...common, x, y, dx: 0, dy: 1 };
  return { ...common, x, y, button, ...(type === 'DRAG' ? { toX, toY } : {}) };
}

it('the steps do what was recorded, in the same places, with the same texts, at the same times', () => {
  fc.assert(
    fc.property(batches, (given) => {
      const { deeds, end } = watch(given.flat());
      const actions = actionsOf(...given.map((batch) => batch.map(sent)));
      expect(replay(actions)).toEqual({ deeds: inRows(deeds), end });
    }),
    { numRuns: 500 },
  );
});

it('the steps do not depend on the batches in which the events came', () => {
  fc.assert(
    fc.property(batches, (given) => {
      const events = given.flat().map(sent);
      const one = events.map((single) => [single]);
      expect(actionsOf(...one)).toEqual(actionsOf(events));
      expect(actionsOf(...given.map((batch) => batch.map(sent)))).toEqual(actionsOf(events));
    }),
  );
});

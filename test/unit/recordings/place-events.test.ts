import fc from 'fast-check';
import type { Problem } from '../../../contract/problem.ts';
import { joinMaskedKeys } from '../../../services/recordings/events/join-masked-keys.ts';
import { placeEvents } from '../../../services/recordings/events/place-events.ts';
import { SCREEN, validated } from './recorded.ts';

const click = (x: number, y: number, more: object = {}) => ({
  type: 'CLICK',
  afterMs: 0,
  x,
  y,
  ...more,
});
const WIDE = { width: 400, height: 100, scale: 2 };
const place = (...events: object[]) => placeEvents(validated(events), SCREEN);

it('normalises coordinates by the size of the screen, whatever its scale', () => {
  const { events, screen } = place(click(25, 25), click(100, 50, { screen: WIDE }), {
    type: 'DRAG',
    afterMs: 0,
    x: 0,
    y: 0,
    toX: 399,
    toY: 1,
  });
  expect(events).toMatchObject([
    { x: 25, nx: 0.25, ny: 0.5 },
    { x: 100, nx: 0.25, ny: 0.5 },
    { nx: 0, ny: 0, toX: 399, ntoX: 0.9975, ntoY: 0.01 },
  ]);
  expect(screen).toEqual(WIDE);
});

it('names each coordinate outside of its screen', () => {
  const refused = () =>
    place(click(99, 49), click(100, 0), click(0, 50), click(399, 0, { screen: WIDE }), {
      type: 'DRAG',
      afterMs: 0,
      x: 0,
      y: 0,
      toX: 400,
      toY: 100,
    });
  let faults: string[] | undefined;
  try {
    refused();
  } catch (error) {
    faults = (error as Problem).data.errors?.map(({ path }) => path);
  }
  expect(faults).toEqual(['events.1.x', 'events.2.y', 'events.4.toX', 'events.4.toY']);
});

it('keeps every place on the screen, with few digits', () => {
  const below = (size: number) => fc.double({ min: 0, max: size, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 65_535 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (width, part) => {
        const x = Math.min(width * part, width - 2 ** -20);
        const [event] = placeEvents(validated([click(x, 0)]), { ...SCREEN, width }).events;
        const { x: kept = -1, nx = -1 } = event as { x?: number; nx?: number };
        expect(Math.abs(kept - x)).toBeLessThanOrEqual(0.011);
        expect(kept).toBeLessThan(width);
        expect(Math.abs(nx - x / width)).toBeLessThanOrEqual(0.011 / width + 1e-6);
        expect([`${kept}`.length, `${nx}`.length].every((length) => length <= 9)).toBe(true);
      },
    ),
  );
  fc.assert(
    fc.property(below(50), (y) => {
      const [event] = placeEvents(validated([click(0, y)]), SCREEN).events;
      expect((event as { ny: number }).ny).toBeGreaterThanOrEqual(0);
      expect((event as { ny: number }).ny).toBeLessThanOrEqual(1);
    }),
  );
});

it('joins masked keys in a row, so that their number is not kept', () => {
  const masked = (afterMs: number) => ({ type: 'KEY', afterMs, key: 'x', masked: true });
  const events = validated([
    masked(5),
    masked(3),
    masked(4),
    { type: 'KEY', afterMs: 7, key: 'Enter' },
    masked(8),
    { type: 'TEXT', afterMs: 9, masked: true },
    masked(1),
    { ...masked(2), screen: WIDE },
  ]);
  expect(joinMaskedKeys(events)).toEqual([
    { type: 'KEY', afterMs: 5, durationMs: 7, masked: true },
    { type: 'KEY', afterMs: 7, key: 'Enter', masked: false },
    { type: 'KEY', afterMs: 8, masked: true },
    { type: 'TEXT', afterMs: 9, masked: true },
    { type: 'KEY', afterMs: 1, masked: true },
    { type: 'KEY', afterMs: 2, masked: true, screen: WIDE },
  ]);
});

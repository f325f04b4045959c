import { type FieldFault, invalidRequest } from '../../../contract/problem.ts';
import { rounded, type Screen } from '../contract/event-fields.ts';
import type { RecordedEvent } from '../contract/recorded-event.ts';

/** A position of the pointer in pixels, and normalised: from 0 to 1, whatever the size of the screen. */
export interface Point {
  x: number;
  y: number;
  nx: number;
  ny: number;
}
interface Target {
  toX: number;
  toY: number;
  ntoX: number;
  ntoY: number;
}
type Placed<E> = E extends { toX: number }
  ? E & Point & Target
  : E extends { x: number }
    ? E & Point
    : E;
/** An event with the normalised coordinates beside those in pixels. */
export type PlacedEvent = Placed<RecordedEvent>;

/** The names of the coordinates of events, with their normalised twins and the side of the screen that bounds them. */
const COORDINATES = [
  ['x', 'nx', 'width'],
  ['y', 'ny', 'height'],
  ['toX', 'ntoX', 'width'],
  ['toY', 'ntoY', 'height'],
] as const;

/** The decimals of coordinates in pixels, and of normalised ones. */
const PIXEL_DECIMALS = 2;
const NORMALISED_DECIMALS = 6;
const roundPixels = rounded(PIXEL_DECIMALS);
const normalise = rounded(NORMALISED_DECIMALS);
/** The distance of the greatest stored coordinate from the edge of the screen in pixels. */
const LEAST_PIXEL_STEP = 10 ** -PIXEL_DECIMALS;

/**
 * Adds normalised coordinates to events that begin on a screen, and answers the screen after the last event as well.
 * Throws the 400 that names each coordinate outside of its screen.
 */
export function placeEvents(
  events: readonly RecordedEvent[],
  before: Screen,
): { events: PlacedEvent[]; screen: Screen } {
  let screen = before;
  const faults: FieldFault[] = [];
  const placed = events.map((event, at) => {
    screen = event.screen ?? screen;
    return placeEvent(event, screen, (name, size) => faults.push(outside(at, name, size)));
  });
  if (faults.length) throw invalidRequest(faults);
  return { events: placed, screen };
}

function placeEvent(
  event: RecordedEvent,
  screen: Screen,
  onOutside: (name: string, size: number) => void,
): PlacedEvent {
  const placed: Record<string, unknown> = { ...event };
  for (const [name, normalised, side] of COORDINATES) {
    const value = placed[name];
    if (typeof value !== 'number') continue;
    const size = screen[side];
    if (value >= size) onOutside(name, size);
    const pixels = Math.min(roundPixels(value), roundPixels(size - LEAST_PIXEL_STEP));
    placed[name] = pixels;
    placed[normalised] = normalise(pixels / size);
  }
  return placed as PlacedEvent;
}

const outside = (at: number, name: string, size: number): FieldFault => ({
  in: 'body',
  path: `events.${at}.${name}`,
  code: 'outside_screen',
  message: `must be less than ${size}, the size of the screen`,
});

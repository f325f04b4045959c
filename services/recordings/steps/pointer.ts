import type { Screen } from '../contract/event-fields.ts';
import type { Point } from '../events/place-events.ts';

/** A place of the pointer. `screen` is absent on the screen of the recording. */
export type Pointer = Point & { screen?: Screen };

/** The place of an event of the pointer on a screen. */
export function pointerAt({ x, y, nx, ny }: Point, screen: Screen, ofRecording: Screen): Pointer {
  return { x, y, nx, ny, ...(isSameScreen(screen, ofRecording) ? {} : { screen }) };
}

export const isSamePlace = (one: Pointer | undefined, other: Pointer): boolean =>
  one?.x === other.x && one.y === other.y && isSameScreen(one.screen, other.screen);

const isSameScreen = (one: Screen | undefined, other: Screen | undefined): boolean =>
  one?.width === other?.width && one?.height === other?.height && one?.scale === other?.scale;

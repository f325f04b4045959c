import type { RecordedAction } from '../contract/resources.ts';
import type { Screen } from '../contract/event-fields.ts';
import type { KeptEvent } from '../events/join-masked-keys.ts';
import type { PlacedEvent } from '../events/place-events.ts';
import { isCharacter } from './character-key.ts';
import { isSamePlace, type Pointer, pointerAt } from './pointer.ts';

type EventOf<T extends PlacedEvent['type']> = Extract<PlacedEvent, { type: T }>;
/** What the next event may continue: a drag, a row of characters, or a row of masked keys. */
type Continuable = 'drag' | 'characters' | 'masked-keys';

/**
 * Makes actions of the events of a recording, which are added in their order. Movements and pauses are left out, and
 * their time counts for the next action. The times of all actions together are the time of all events.
 */
export class Actions {
  readonly list: RecordedAction[] = [];
  /** UTF-16 code units of the texts and keys of the actions. */
  textLength = 0;
  readonly #recordingScreen: Screen;
  #screen: Screen;
  #pointer: Pointer | undefined;
  /** Milliseconds since the end of the latest action. */
  #pauseMs = 0;
  /** What the latest action is to the next event; undefined where no event continues the action. */
  #continuable: Continuable | undefined;

  constructor(screen: Screen) {
    this.#recordingScreen = screen;
    this.#screen = screen;
  }

  add(event: KeptEvent): void {
    this.#screen = event.screen ?? this.#screen;
    this.#pauseMs += event.afterMs;
    if (event.type === 'MOVE') this.#move(event);
    else if (event.type === 'DRAG') this.#addDrag(event);
    else if (event.type === 'KEY')
      this.#addKey('key' in event ? event.key : null, event.durationMs);
    else if (event.type === 'TEXT') this.#addText('text' in event ? event.text : null);
    else if (event.type !== 'WAIT') this.#addPointerAction(event);
  }

  /** Ends with a pause, where time has passed since the latest action. */
  end(): void {
    if (this.#pauseMs > 0) this.#begin({ type: 'WAIT' });
  }

  /** A movement ends a drag, because the button is not held. Keys that are typed before and after it are in a row. */
  #move(event: EventOf<'MOVE'>): void {
    this.#pointer = this.#pointerAt(event);
    if (this.#continuable === 'drag') this.#continuable = undefined;
  }

  #addPointerAction(event: EventOf<'CLICK' | 'DOUBLE_CLICK' | 'SCROLL'>): void {
    this.#pointer = this.#pointerAt(event);
    const { type } = event;
    if (type === 'SCROLL') this.#begin({ type, dx: event.dx, dy: event.dy });
    else this.#begin({ type, button: event.button });
  }

  /** A drag that begins at the end of the latest one, with the same button, continues it. */
  #addDrag(event: EventOf<'DRAG'>): void {
    const { toX, toY, ntoX, ntoY, button } = event;
    const start = this.#pointerAt(event);
    const latest = this.#latest('drag');
    if (latest?.button === button && isSamePlace(this.#pointer, start)) {
      Object.assign(latest, { toX, toY, ntoX, ntoY });
      this.#continue(latest);
    } else {
      this.#pointer = start;
      this.#begin({ type: 'DRAG', toX, toY, ntoX, ntoY, button }, 'drag');
    }
    this.#pointer = { ...start, x: toX, y: toY, nx: ntoX, ny: ntoY };
  }

  /** Characters in a row become one text, and masked keys in a row one masked text. All other keys stay keys. */
  #addKey(key: string | null, durationMs = 0): void {
    this.textLength += key?.length ?? 0;
    if (key !== null && !isCharacter(key)) {
      this.#begin({ type: 'KEY', key });
      return;
    }
    const row = key === null ? 'masked-keys' : 'characters';
    const latest = this.#latest(row);
    if (latest && key !== null) latest.text += key;
    const action = latest ?? this.#begin({ type: 'TEXT', ...textOf(key) }, row);
    this.#pauseMs += durationMs;
    this.#continue(action);
  }

  #addText(text: string | null): void {
    this.textLength += text?.length ?? 0;
    this.#begin({ type: 'TEXT', ...textOf(text) });
  }

  #begin(
    { type, ...fields }: Omit<RecordedAction, 'afterMs' | 'durationMs'>,
    continuable?: Continuable,
  ): RecordedAction {
    const times = { afterMs: this.#pauseMs, durationMs: 0 };
    const action = { type, ...this.#pointer, ...fields, ...times };
    this.list.push(action);
    this.#pauseMs = 0;
    this.#continuable = continuable;
    return action;
  }

  /** The latest action, if the next event may continue it as this. */
  #latest(continuable: Continuable): RecordedAction | undefined {
    return this.#continuable === continuable ? this.list.at(-1) : undefined;
  }

  /** Adds the time since the latest action to it. */
  #continue(action: RecordedAction): void {
    action.durationMs += this.#pauseMs;
    this.#pauseMs = 0;
  }

  #pointerAt(point: EventOf<'MOVE' | 'CLICK' | 'DOUBLE_CLICK' | 'SCROLL' | 'DRAG'>): Pointer {
    return pointerAt(point, this.#screen, this.#recordingScreen);
  }
}

/** The text of an action; a masked one has none. */
const textOf = (text: string | null): Pick<RecordedAction, 'text' | 'masked'> =>
  text === null ? { masked: true } : { text };

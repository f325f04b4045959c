import { paramsOf } from '../../../contract/contract.ts';
import type { RecordedEvent } from '../../../services/recordings/contract/recorded-event.ts';
import type { RecordedAction } from '../../../services/recordings/contract/resources.ts';
import { joinMaskedKeys } from '../../../services/recordings/events/join-masked-keys.ts';
import { placeEvents } from '../../../services/recordings/events/place-events.ts';
import { recordingsContract } from '../../../services/recordings/recordings.contract.ts';
import { Actions } from '../../../services/recordings/steps/actions.ts';

export const SCREEN = { width: 100, height: 50, scale: 1 };

/** The validated events of a batch. */
export const validated = (events: readonly object[]): RecordedEvent[] =>
  paramsOf(recordingsContract.actions.appendEvents).parse({ id: 1, sequence: 1, events })
    .events as RecordedEvent[];

/** The actions of events that came in batches. A batch without events counts as none. */
export function actionsOf(...batches: readonly (readonly object[])[]): RecordedAction[] {
  const actions = new Actions(SCREEN);
  let screen = SCREEN;
  for (const batch of batches.filter(({ length }) => length)) {
    const placed = placeEvents(validated(batch), screen);
    for (const event of joinMaskedKeys(placed.events)) actions.add(event);
    screen = placed.screen;
  }
  actions.end();
  return actions.list;
}

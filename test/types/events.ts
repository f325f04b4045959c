import { z } from 'zod';
import { defineEvent, type EventSource, emit } from '../../contract/event.ts';
import { on } from '../../services/contracts.ts';

/** The types of emitting an event and of listening to it. This file is compiled and never run. */

const boxMoved = defineEvent({
  name: 'box.moved',
  payload: z.strictObject({ boxId: z.int(), by: z.string().optional() }),
  delivery: 'broadcast',
});
declare const source: EventSource;

void emit(source, boxMoved, { boxId: 1 });
void emit(source, boxMoved, { boxId: 1, by: 'x' });
// @ts-expect-error a field is missing
void emit(source, boxMoved, {});
// @ts-expect-error a field of the wrong type
void emit(source, boxMoved, { boxId: '1' });
// @ts-expect-error a field that the event doesn't have
void emit(source, boxMoved, { boxId: 1, colour: 'red' });
// @ts-expect-error an event has no name of its own
void emit(source, 'box.moved', { boxId: 1 });

on(boxMoved, ({ params }) => params.boxId.toFixed());
// @ts-expect-error the payload has no such field
on(boxMoved, ({ params }) => params.colour);
on(boxMoved, (ctx) => ctx.call('workspaces.roleOf', { userId: 1, workspaceId: 2 }));
// @ts-expect-error there is no such action
on(boxMoved, (ctx) => ctx.call('boxes.nope', {}));

defineEvent({
  name: 'box.moved',
  payload: z.strictObject({}),
  // @ts-expect-error there is no such delivery
  delivery: 'some',
});

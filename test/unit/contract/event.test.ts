import { z } from 'zod';
import { defineEvent, emit } from '../../../contract/event.ts';

const payload = z.strictObject({ boxId: z.int() });
const boxMoved = defineEvent({ name: 'box.moved', payload, delivery: 'broadcast' });
const boxPacked = defineEvent({ name: 'box.packed', payload, delivery: 'one' });

function listening() {
  const heard: unknown[][] = [];
  const source = {
    broadcast: async (...event: unknown[]) => void heard.push(['broadcast', ...event]),
    emit: async (...event: unknown[]) => void heard.push(['emit', ...event]),
  };
  return { source, heard };
}

test('the contract decides how far an event goes', async () => {
  const { source, heard } = listening();
  await emit(source, boxMoved, { boxId: 1 });
  await emit(source, boxPacked, { boxId: 2 }, { meta: {} });
  expect(heard).toEqual([
    ['broadcast', 'box.moved', { boxId: 1 }, undefined],
    ['emit', 'box.packed', { boxId: 2 }, { meta: {} }],
  ]);
});

test.each([[{ boxId: '1' }], [{}], [{ boxId: 1, colour: 'red' }]])(
  'the payload %p is refused',
  async (wrong) => {
    const { source, heard } = listening();
    await expect(emit(source, boxMoved, wrong as never)).rejects.toThrow(
      'The payload of box.moved is not valid',
    );
    expect(heard).toEqual([]);
  },
);

test('a source that answers nothing is no failure: Moleculer does so while nobody listens', async () => {
  const source = { broadcast: () => undefined, emit: () => undefined } as never;
  await expect(emit(source, boxMoved, { boxId: 1 })).resolves.toBeUndefined();
});

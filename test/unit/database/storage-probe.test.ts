import { isDatabaseFull } from '../../../mixins/database/storage-probe.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';

/** Milliseconds after which a further caller has a probe made. */
const BETWEEN_PROBES_MS = 3_000;

test('no probe begins a write beside one that has no answer yet', async () => {
  jest.useFakeTimers();
  const updateOne = jest
    .spyOn(SequenceModel, 'updateOne')
    .mockReturnValue(new Promise(() => undefined) as never);
  for (let probe = 0; probe < 3; probe++) {
    const isFull = isDatabaseFull();
    await jest.advanceTimersByTimeAsync(BETWEEN_PROBES_MS);
    expect(await isFull).toBe(false);
  }
  expect(updateOne).toHaveBeenCalledTimes(1);
});

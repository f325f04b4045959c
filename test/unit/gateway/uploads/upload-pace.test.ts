import { RequestTimeout } from '../../../../contract/problem.ts';
import { UploadPace } from '../../../../mixins/gateway/uploads/upload-pace.ts';

const limits = { minBytesPerSecond: 100, windowSeconds: 10, maxSeconds: 60 };

let late: jest.Mock;
let pace: UploadPace;
beforeEach(() => {
  jest.useFakeTimers();
  late = jest.fn();
  pace = new UploadPace(limits, late);
});
afterEach(() => {
  pace.stop();
  jest.useRealTimers();
});

/** Sends so many bytes in each second. */
function send(bytes: number, seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    pace.record(bytes);
    jest.advanceTimersByTime(1_000);
  }
}

it('ends an upload that is too slow on the average of 10 s, and no sooner', () => {
  send(99, 9);
  expect(late).not.toHaveBeenCalled();
  send(99, 1);
  expect(late).toHaveBeenCalledTimes(1);
  expect(late.mock.calls[0][0]).toMatchObject({ type: RequestTimeout.code, code: 408 });
});

it('lets an upload stand still for a while that makes up for it', () => {
  send(0, 9);
  send(1_000, 1);
  send(0, 9);
  expect(late).not.toHaveBeenCalled();
  send(0, 1);
  expect(late).toHaveBeenCalled();
});

it('counts no second in which this side did not read, however long that takes', () => {
  pace.recordWait();
  send(0, 30);
  expect(late).not.toHaveBeenCalled();
  pace.recordResume();
  send(0, 10); // the client waited in the first of these seconds
  expect(late).not.toHaveBeenCalled();
  send(0, 1);
  expect(late).toHaveBeenCalledTimes(1);
});

it('ends the fastest upload after the longest time', () => {
  send(1_000_000, 59);
  expect(late).not.toHaveBeenCalled();
  send(1_000_000, 1);
  expect(late).toHaveBeenCalledTimes(1);
});

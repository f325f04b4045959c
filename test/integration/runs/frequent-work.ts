type PeriodicWork = typeof import('../../../support/periodic-work.ts');

const actual = jest.requireActual<PeriodicWork>('../../../support/periodic-work.ts');
const tenth = (ms: number | (() => number)) => () => (typeof ms === 'number' ? ms : ms()) / 10;

/** The periodic work of a worker, ten times as often: a lost run is found in a second. Tests mock `periodic-work.ts` with it. */
export const repeatWork: PeriodicWork['repeatWork'] = (ms, ...rest) =>
  actual.repeatWork(tenth(ms), ...rest);

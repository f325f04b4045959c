import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/**
 * Lets the process that loads this file first (`node --import`) take a CPU profile of itself: SIGUSR2 begins it,
 * and the next one writes it to the file that `BENCH_PROFILE` names.
 */
const SAMPLE_EVERY_US = 200;
const session = new Session();
session.connect();
let isProfiling = false;

process.on('SIGUSR2', async () => {
  isProfiling = !isProfiling;
  if (isProfiling) {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
    await session.post('Profiler.start');
  } else {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(process.env.BENCH_PROFILE ?? '', JSON.stringify(profile));
  }
});

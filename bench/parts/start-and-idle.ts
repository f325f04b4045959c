import { setTimeout as sleep } from 'node:timers/promises';
import { startServer, type TestServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { median } from '../load.ts';
import { usageOfTree } from '../process.ts';
import { reportFigure } from '../report.ts';
import { temporaryFolder } from '../setup.ts';

const STARTS = 3;
/** Milliseconds after which a process without calls is idle (`support/activity.ts`), and has returned memory. */
const SETTLE_MS = 40_000;
const IDLE_SECONDS = 10;

/** Measures the time from `npm start` to ready on existing data, and the CPU time and memory of the idle process. */
export async function measureStartAndIdle(): Promise<void> {
  const dataDir = temporaryFolder('service');
  await (await startServer({ dataDir })).stop();
  const starts: number[] = [];
  const cpuSeconds: number[] = [];
  let server: TestServer | undefined;
  for (let round = 0; round < STARTS; round++) {
    await server?.stop();
    const started = performance.now();
    server = await startServer({ dataDir });
    starts.push((performance.now() - started) / 1000);
    if (process.platform === 'linux') cpuSeconds.push(usageOfTree(server.pid).cpuSeconds);
  }
  reportFigure(FIGURES.start, median(starts));
  if (!server || process.platform !== 'linux') return;
  reportFigure(FIGURES.startCpu, median(cpuSeconds));
  await sleep(SETTLE_MS);
  const before = usageOfTree(server.pid);
  await sleep(IDLE_SECONDS * 1000);
  const after = usageOfTree(server.pid);
  reportFigure(FIGURES.idleMemory, after.memoryMb, 0);
  const share = ((after.cpuSeconds - before.cpuSeconds) / IDLE_SECONDS) * 100;
  reportFigure(FIGURES.idleCpu, share);
  await server.stop();
}

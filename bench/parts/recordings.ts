import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace, type Person, register } from '../../test/helpers/people.ts';
import {
  createRecording,
  type RecordingAnswer,
  SCREEN,
  sendEvents,
} from '../../test/helpers/recordings.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { percentile } from '../percentile.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';

/** Recorders at the same time, each of a recording of its own. */
const RECORDERS = 20;
/** Events of a batch, the milliseconds between two batches of a recorder, and the batches of each. */
const BATCH = 100;
const BATCH_EVERY_MS = 100;
const BATCHES = 200;
/** Batches that each recorder sends before the measured ones, for warming up. */
const WARM_UP = 20;

/** Movements with clicks and characters, as a recorder sends them. */
const EVENTS = Array.from({ length: BATCH }, (_, n) => {
  if (n % 50 === 48) return { type: 'KEY', afterMs: 1, key: 'a' };
  const type = n % 50 === 49 ? 'CLICK' : 'MOVE';
  return { type, afterMs: 1, x: (n * 7) % SCREEN.width, y: (n * 3) % SCREEN.height };
});

/** Measures how long after its time a batch of a recorder is answered, and counts events that are not there afterwards. */
export async function measureRecordings(): Promise<void> {
  const database = await startDatabase('recordings');
  try {
    const service = await startServer({ env: productionEnvironment(database.uri) });
    try {
      await measureRecorders(service.url);
    } finally {
      await service.stop();
    }
  } finally {
    await stopDatabase(database);
  }
}

async function measureRecorders(serviceUrl: string): Promise<void> {
  const owner = await register(serviceUrl);
  const workspaceId = await createWorkspace(owner);
  printLine(
    `${RECORDERS} recorders, each with ${(BATCH * 1_000) / BATCH_EVERY_MS} events a second in batches of ${BATCH}; ${DURABILITY}`,
  );
  const recorders = Array.from({ length: RECORDERS }, async (_, n) => {
    const { id } = await createRecording(owner, workspaceId);
    await sleep((n * BATCH_EVERY_MS) / RECORDERS);
    return { id, times: await sendBatches(owner, id) };
  });
  const recorded = await Promise.all(recorders);
  const times = recorded.flatMap(({ times }) => times.slice(WARM_UP));
  const kept = await Promise.all(
    recorded.map(async ({ id }) => {
      const { body } = await owner.call<RecordingAnswer>('GET', `/recordings/${id}`);
      return body.eventCount;
    }),
  );
  const sent = RECORDERS * (WARM_UP + BATCHES) * BATCH;
  const [p50, p90] = [0.5, 0.9].map((part) => percentile(times, part).toFixed(0));
  printLine(`p50 ${p50} ms, p90 ${p90} ms, the latest ${Math.max(...times).toFixed(0)} ms`);
  reportFigure(FIGURES.batchP99, percentile(times, 0.99), 0);
  reportFigure(FIGURES.lostEvents, sent - kept.reduce((sum, count) => sum + count, 0), 0);
}

/** Sends one batch after another at its time. Returns the milliseconds from the time of each batch to its answer. */
async function sendBatches(owner: Person, id: number): Promise<number[]> {
  const times: number[] = [];
  const begin = performance.now();
  for (let n = 0; n < WARM_UP + BATCHES; n++) {
    const due = begin + n * BATCH_EVERY_MS;
    await sleep(Math.max(0, due - performance.now()));
    const { status, text } = await sendEvents(owner, id, n + 1, EVENTS);
    if (status !== 200) throw new Error(`a batch answered ${status}: ${text}`);
    times.push(performance.now() - due);
  }
  return times;
}

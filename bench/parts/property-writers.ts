import { createStore, type StoreAnswer } from '../../test/helpers/configurations.ts';
import { createWorkspace, type Person, register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { percentile } from '../percentile.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';

/** Writers at the same time, each with one request in flight. */
const WRITERS = 200;
/** Requests of each writer. */
const ROUNDS = 5;
const LAST_VALUE = String(ROUNDS - 1);
/** The properties that the store has before: 120 KiB of JSON. */
const BEFORE = Array.from({ length: 500 }, (_, i) => ({ key: `old${i}`, value: 'x'.repeat(200) }));

/** Measures the time until 200 concurrent updates of one store's properties are answered, and counts lost updates. */
export async function measurePropertyWriters(): Promise<void> {
  const database = await startDatabase('property-writers');
  try {
    const service = await startServer({ env: productionEnvironment(database.uri) });
    try {
      await measureWriters(service.url);
    } finally {
      await service.stop();
    }
  } finally {
    await stopDatabase(database);
  }
}

async function measureWriters(serviceUrl: string): Promise<void> {
  const owner = await register(serviceUrl);
  const workspaceId = await createWorkspace(owner);
  const writeAll = async () => {
    const { id } = await createStore(owner, workspaceId, { properties: BEFORE });
    const url = `${serviceUrl}/configurations/${id}/properties?workspaceId=${workspaceId}`;
    const writers = Array.from({ length: WRITERS }, (_, i) => write(url, owner, `writer${i}`));
    const times = await Promise.all(writers);
    const { body } = await owner.call<StoreAnswer>('GET', `/configurations/${id}`);
    return { times: times.flat(), properties: body.properties };
  };
  await writeAll(); // for warming up
  const { times, properties } = await writeAll();
  const kept = properties.filter(
    ({ key, value }) => key.startsWith('writer') && value === LAST_VALUE,
  );
  printLine(`${WRITERS} writers of one store, ${ROUNDS} updates each; ${DURABILITY}`);
  reportFigure(FIGURES.writersP99, percentile(times, 0.99), 0);
  reportFigure(FIGURES.lostUpdates, WRITERS - kept.length, 0);
}

/** Sets a property again and again. Returns the milliseconds of each update. Throws when an update is refused. */
async function write(url: string, { token }: Person, key: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    const answer = await fetch(url, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ key, value: String(round) }),
    });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
    times.push(performance.now() - begin);
  }
  return times;
}

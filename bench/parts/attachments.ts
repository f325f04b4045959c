import { fileForm } from '../../test/helpers/multipart.ts';
import { createWorkspace, type Person, register } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { percentile } from '../percentile.ts';
import { DURABILITY, printLine, reportFigure } from '../report.ts';
import { productionEnvironment, startDatabase, stopDatabase } from '../setup.ts';

/** Files, and how many of them are under way at the same time. */
const FILES = 100;
const AT_ONCE = 10;
const FILE_BYTES = 5 * 1024 * 1024;
/** Files of a conversation. A conversation takes 50. */
const FILES_OF_CONVERSATION = 50;

/** Measures uploads at once, and counts answers that are no success. */
export async function measureAttachments(): Promise<void> {
  const database = await startDatabase('attachments');
  try {
    const service = await startServer({ env: productionEnvironment(database.uri) });
    try {
      await measureUploads(service.url);
    } finally {
      await service.stop();
    }
  } finally {
    await stopDatabase(database);
  }
}

async function measureUploads(serviceUrl: string): Promise<void> {
  const owner = await register(serviceUrl);
  const workspaceId = await createWorkspace(owner);
  const conversations = await Promise.all(
    Array.from({ length: FILES / FILES_OF_CONVERSATION }, async () => {
      const { body } = await owner.call<{ id: number }>('POST', '/agent/conversations', {
        body: { workspaceId },
      });
      return body.id;
    }),
  );
  printLine(
    `${FILES} attachments of ${FILE_BYTES / 1024 / 1024} MiB, ${AT_ONCE} at once; ${DURABILITY}`,
  );
  const waiting = Array.from({ length: FILES }, (_, n) => conversations[n % conversations.length]);
  const begin = performance.now();
  const sent = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const results: Upload[] = [];
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        results.push(await upload(owner, id));
      }
      return results;
    }),
  );
  const uploads = sent.flat();
  const seconds = (performance.now() - begin) / 1000;
  const times = uploads.map(({ ms }) => ms);
  const [p50, p99] = [0.5, 0.99].map((part) => percentile(times, part).toFixed(0));
  const rate = ((FILES * FILE_BYTES) / 1024 / 1024 / seconds).toFixed(0);
  printLine(`p50 ${p50} ms, p99 ${p99} ms, ${rate} MiB a second`);
  reportFigure(FIGURES.failedUploads, uploads.filter(({ status }) => status !== 201).length, 0);
}

interface Upload {
  status: number;
  ms: number;
}

const FORM = fileForm(Buffer.alloc(FILE_BYTES, 'x'), 'a.txt');

async function upload(owner: Person, id: number): Promise<Upload> {
  const since = performance.now();
  const { status } = await owner.call('POST', `/agent/conversations/${id}/attachments`, FORM);
  return { status, ms: performance.now() - since };
}

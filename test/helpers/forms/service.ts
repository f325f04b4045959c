import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestStreamOf } from '@workspace-automation/moleculer-nats';
import type { Middleware, ServiceSchema } from 'moleculer';
import { z } from 'zod';
import { action, defineContract } from '../../../contract/contract.ts';
import { type ActionsOf, implementWith } from '../../../contract/contract-types.ts';
import { FileAnswer } from '../../../contract/file-answer.ts';
import { NotFound, Problem, problemType, Unavailable } from '../../../contract/problem.ts';
import { uploadedFile } from '../../../contract/upload.ts';
import { Access } from '../../../middlewares/access/access.ts';
import { ErrorMapping } from '../../../middlewares/error-mapping.ts';
import { ResultValidation } from '../../../middlewares/result-validation.ts';
import { Validation } from '../../../middlewares/validation.ts';

/** The greatest length of a file, in bytes. */
export const MAX_BYTES = 16 * 1024 * 1024;
const NotWanted = problemType('NOT_WANTED', 409, 'The file is not wanted');
const none = { none: 'a form of a test' };

/** One operation for each form of a body or an answer that is no JSON. */
export const formsContract = defineContract('forms', 'Bodies and answers that are no JSON', {
  upload: action({
    summary: 'Upload a file',
    route: 'POST /files/:kind',
    access: { who: 'person' },
    path: { kind: z.string() },
    upload: { field: 'file', maxBytes: MAX_BYTES },
    body: uploadedFile,
    result: z.strictObject({
      name: z.string(),
      type: z.string(),
      size: z.int(),
      sha256: z.string(),
    }),
    status: 201,
    errors: [NotWanted],
    audit: none,
    tool: none,
    idempotency: none,
    timeoutMs: 60_000,
  }),
  file: action({
    summary: 'A file',
    route: 'GET /files/:kind',
    access: { who: 'person' },
    path: { kind: z.string() },
    result: FileAnswer,
    format: 'file',
    etag: true,
    tool: none,
    errors: [NotFound],
    idempotent: true,
  }),
  answer: action({
    summary: 'An answer that comes in parts',
    route: 'POST /answers/:kind',
    access: { who: 'person' },
    path: { kind: z.string() },
    result: z.strictObject({ text: z.string() }),
    status: 201,
    streamed: 'events',
    errors: [NotFound],
    audit: none,
    tool: none,
    idempotency: none,
  }),
});

/** The bytes of every file: 100,000, of which each tells its place. */
export const FILE = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 251));
export const FILE_NAME = 'Größe "2" €.png';
const SHA256 = createHash('sha256').update(FILE).digest('hex');

/** What goes wrong with a file, by its kind. */
const SOURCES: Record<string, (bytes: Buffer) => Readable> = {
  whole: (bytes) => Readable.from([bytes], { objectMode: false }),
  away: () => failing([]),
  broken: (bytes) => failing([bytes.subarray(0, 10)]),
  short: (bytes) => Readable.from([bytes.subarray(1)], { objectMode: false }),
};

const failing = (chunks: readonly Buffer[]): Readable =>
  Readable.from(
    (async function* () {
      yield* chunks;
      await sleep(50);
      throw new Problem(Unavailable, 'The database cannot be reached at the moment.');
    })(),
    { objectMode: false },
  );

/** A source of zeros that never ends. */
const endless = (): Readable =>
  new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
  });

const eventText = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** A source that never ends after its first chunk. */
const heldAfter = (text: string): Readable => {
  const source = new Readable({ read: () => undefined });
  source.push(text);
  return source;
};

/** The text of the answers: with characters of several bytes, and longer than a message of NATS. */
export const LONG_TEXT = 'Größe €'.repeat(60_000);

async function* parts(kind: string): AsyncGenerator<string> {
  yield eventText('text', { delta: 'Hel' });
  if (kind === 'half') yield 'event: text\ndata: {"del';
  if (kind === 'half' || kind === 'broken') throw new TypeError('a defect');
  yield eventText('message', { text: LONG_TEXT });
}

/** The service of the forms. `tell` gets a line for what becomes of a stream. */
export function formsService(tell: (line: string) => void): ServiceSchema {
  const told = <S extends Readable>(what: string, source: S): S => {
    finished(source).then(
      () => tell(`${what} ended`),
      () => tell(`${what} failed`),
    );
    return source;
  };
  const releases = new EventEmitter(); // held uploads go on with an upload of the kind `release`
  return {
    name: 'forms',
    actions: implementWith<ActionsOf<typeof formsContract>>()(formsContract, {
      async upload(ctx) {
        const { kind, fileName: name, fileType: type } = ctx.params;
        tell(`upload ${kind}`);
        const stream = requestStreamOf(ctx as never);
        if (kind === 'refused') throw new Problem(NotWanted, 'No file is wanted.');
        if (kind === 'held') await once(releases, 'release');
        if (kind === 'release') releases.emit('release');
        const hash = createHash('sha256');
        let size = 0;
        try {
          for await (const chunk of stream as AsyncIterable<Buffer>) {
            hash.update(chunk);
            size += chunk.length;
          }
        } catch (error) {
          tell(`upload ${kind} failed`);
          throw error;
        }
        tell(`upload ${kind} stored`);
        return { name, type, size, sha256: hash.digest('hex') };
      },
      async file(ctx) {
        const { kind } = ctx.params;
        const { byteRange } = ctx.locals;
        if (kind === 'missing') throw new Problem(NotFound, 'There is no such file.');
        if (byteRange && kind === 'late') {
          tell('file late asked');
          await once(releases, 'release');
        }
        if (byteRange) {
          const bytes = FILE.subarray(byteRange.start, byteRange.end + 1);
          return told(`file ${kind}`, SOURCES[kind]?.(bytes) ?? endless());
        }
        const size = kind === 'endless' ? 2 ** 40 : FILE.length;
        return { name: FILE_NAME, type: 'image/png', size, sha256: SHA256 };
      },
      answer(ctx) {
        const { kind } = ctx.params;
        if (kind === 'missing') throw new Problem(NotFound, 'There is no such answer.');
        if (!ctx.locals.asEvents) return { text: LONG_TEXT };
        const source =
          kind === 'held'
            ? heldAfter(eventText('text', { delta: 'Hel' }))
            : Readable.from(parts(kind), { objectMode: false });
        return told(`answer ${kind}`, source);
      },
    }),
  };
}

/** The middlewares of a node with the service, the innermost first, as `middlewares/index.ts` has them. */
export const formsMiddlewares = (): Middleware[] => [
  ResultValidation,
  Validation,
  Access(() => ({}) as never),
  ErrorMapping,
];

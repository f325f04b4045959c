import { Readable, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { requestStreamOf } from '@workspace-automation/moleculer-nats';
import type { Context, ServiceSchema } from 'moleculer';

/** Makes a source of the given number of bytes, and a function that returns the number of bytes read. */
export function countedSource(
  bytes: number,
  chunkBytes = 100_000,
): { source: Readable; read(): number } {
  let read = 0;
  const source = new Readable({
    read() {
      const size = Math.min(chunkBytes, bytes - read);
      read += size;
      this.push(size > 0 ? Buffer.alloc(size, read % 251) : null);
    },
  });
  return { source, read: () => read };
}

/** A service whose actions take and answer streams. `tell` gets a line for what happens to them. */
export const streamService = (tell: (line: string) => void): ServiceSchema => ({
  name: 'streams',
  actions: {
    count: async (ctx: Context) => {
      let bytes = 0;
      for await (const chunk of requestStreamOf(ctx)) bytes += (chunk as Buffer).length;
      return bytes;
    },
    source: ({ params }: Context<{ bytes: number }>) => {
      const { source } = countedSource(params.bytes);
      void finished(source).then(
        () => tell('source ended'),
        ({ message }: Error) => tell(`source failed: ${message}`),
      );
      return source;
    },
    objects: () => Readable.from([{ n: 1 }, { n: 2 }, { n: 3 }]),
    failing: () =>
      Readable.from(
        (async function* () {
          yield Buffer.from('begun');
          throw new Error('the source broke');
        })(),
      ),
    failingAtLength: () =>
      Readable.from(
        (async function* () {
          yield Buffer.from('begun');
          throw new Error('x'.repeat(2_000_000));
        })(),
      ),
    double: (ctx: Context) =>
      requestStreamOf(ctx).pipe(
        new Transform({
          transform(chunk: Buffer, _, done) {
            done(null, Buffer.concat([chunk, chunk]));
          },
        }),
      ),
    ignore: () => 'ignored',
    refuse: async () => {
      throw new Error('refused');
    },
    /** Reads one chunk and then holds the stream for good. */
    hold: async (ctx: Context) => {
      const stream = requestStreamOf(ctx);
      stream.once('data', () => stream.pause());
      tell('holding');
      await finished(stream).catch(({ message }: Error) => tell(`held stream failed: ${message}`));
      return 'over';
    },
  },
});

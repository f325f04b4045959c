import { Transform } from 'node:stream';

/** Passes on as many bytes as a response has announced. A source with fewer bytes, or more, fails. */
export function exactLength(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? wrongLength(bytes) : null, chunk);
    },
    flush(done) {
      done(left === 0 ? null : wrongLength(bytes));
    },
  });
}

const wrongLength = (bytes: number) =>
  new RangeError(`the file has not the ${bytes} bytes of its range`);

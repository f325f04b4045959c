import type { BodyLimits, BodyReader, BodyReceiver } from './body.ts';
import { BodyCollector } from './body-collector.ts';
import { BodyDecoder } from './body-decoder.ts';

/** Makes the reader of a body, which decodes its `Content-Encoding` and reads to the end or the limit. */
export const createBodyReader = (
  encoding: string | undefined,
  limits: BodyLimits,
  receiver: BodyReceiver,
): BodyReader =>
  isPlain(encoding)
    ? new BodyCollector(limits, receiver, false)
    : new BodyDecoder(encoding, limits, receiver);

const isPlain = (encoding = ''): boolean => /^\s*(?:identity\s*)?$/i.test(encoding);

import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** A file that the gateway serves under one exact path. */
export interface Asset {
  file: string;
  type: string;
}

/** Sends a file of our own; the path names it in a table, so nothing else can be reached. */
export async function sendAsset(
  req: IncomingMessage,
  res: ServerResponse,
  asset: Asset,
): Promise<void> {
  res.writeHead(200, {
    'Content-Type': asset.type,
    'Cache-Control': 'public, max-age=3600',
  });
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  await pipeline(createReadStream(asset.file), res).catch(() => res.destroy());
}

import type { Reply } from '../reply.ts';

/** A file that the gateway serves under one exact path. */
export interface Asset {
  file: string;
  type: string;
}

/** The answer with a file of our own; the path names it in a table, so nothing else can be reached. */
export const assetReply = ({ file, type }: Asset): Reply => ({
  status: 200,
  headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' },
  body: null,
  file,
});

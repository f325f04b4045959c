import type { Reply } from '../reply.ts';

/** A file that the gateway serves under one exact path. */
export interface Asset {
  file: string;
  type: string;
}

/** The reply with a file. The table of assets maps each path to its file, so no other file can be read. */
export const assetReply = ({ file, type }: Asset): Reply => ({
  status: 200,
  headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' },
  body: null,
  file,
});

import type { Reply } from '../reply.ts';

/** A file that the gateway serves under one exact path. */
export interface Asset {
  file: string;
  type: string;
}

/** The relative reference of another path (RFC 9110, section 15.4.9): it holds under a `PUBLIC_URL` with a path. */
export interface Redirect {
  redirect: string;
}

/** The reply with a file, or with a redirect. The table of assets maps each path to its file, so no other file can be read. */
export function assetReply(asset: Asset | Redirect): Reply {
  if ('redirect' in asset) {
    return { status: 308, headers: { Location: asset.redirect }, body: null };
  }
  const { file, type } = asset;
  return {
    status: 200,
    headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' },
    body: null,
    file,
  };
}

import { TooManyDownloads } from '../../../contract/file-answer.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import { type PlaceLimits, Places } from './places.ts';

/** The places of requests that download a file. */
export const downloadPlaces = (limits: PlaceLimits, proxies: TrustedProxies): Places =>
  new Places(
    limits,
    {
      problem: TooManyDownloads,
      perCaller: 'DOWNLOADS_PER_CALLER',
      perProcess: 'DOWNLOADS_PER_PROCESS',
      verb: 'download',
    },
    proxies,
  );

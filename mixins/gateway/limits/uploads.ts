import { TooManyUploads } from '../../../contract/upload.ts';
import type { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import { type PlaceLimits, Places } from './places.ts';

/** The places of requests that upload a file. */
export const uploadPlaces = (limits: PlaceLimits, proxies: TrustedProxies): Places =>
  new Places(
    limits,
    {
      problem: TooManyUploads,
      perCaller: 'UPLOADS_PER_CALLER',
      perProcess: 'UPLOADS_PER_PROCESS',
      verb: 'upload',
    },
    proxies,
  );

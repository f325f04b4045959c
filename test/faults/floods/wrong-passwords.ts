import type { TestServer } from '../../helpers/server.ts';
import { duringFlood, type Flood } from '../flooding/flood.ts';

const requests = Array.from({ length: 900 }, (_, n) => ({
  method: 'POST',
  path: '/auth/sign-in',
  body: { email: `somebody.${n % 90}@example.com`, password: `a wrong password ${n}` },
}));

/** 900 wrong passwords for 90 accounts from another address, and what `measure` finds meanwhile. */
export const duringWrongPasswords = (
  { url }: TestServer,
  measure: (flood: Flood) => Promise<number>,
): Promise<number> =>
  duringFlood(
    url,
    {
      kind: 'requests',
      clients: 30,
      count: requests.length,
      requests,
      seconds: 60,
      localAddress: '127.0.0.2',
    },
    measure,
  );

/** Few and fast: the flood is over soon. */
export const DURING_FLOOD = { samples: 15, pauseMs: 5 };

import type { AddressInfo } from 'node:net';
import type { ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import { authenticationNeeded } from '../../../contract/authentication-needed.ts';
import type { ActionContract, Method } from '../../../contract/contract.ts';
import { TrustedProxies } from '../../../environment/values/trusted-proxies.ts';
import { Gateway } from '../../../mixins/gateway/gateway.ts';
import { formsContract } from './service.ts';

/** Uploads of one caller at once. */
export const UPLOADS_PER_CALLER = 4;
/** Downloads of one caller at once. */
export const DOWNLOADS_PER_CALLER = 4;

const routes = Object.entries(formsContract.actions).map(([name, contract]) => {
  const [method, path] = contract.route.split(' ') as [Method, string];
  const action = `forms.${name}`;
  return { action, contract: contract as ActionContract, method, path, location: null };
});

/** Adds a gateway in front of the service `forms` to a broker. A token is the id of a person. */
export function addFormsGateway(broker: ServiceBroker): { url(): string } {
  const gateway = broker.createService({
    name: 'api',
    mixins: [
      Gateway({
        routes,
        port: 0,
        host: '127.0.0.1',
        isHttps: false,
        limits: { headersTimeoutMs: 10_000, requestTimeoutMs: 1_000, maxConnections: 100 },
        corsOrigins: [],
        trustedProxies: new TrustedProxies([]),
        limiter: null,
        capacity: {
          waiting: { perCaller: 10, perProcess: 100 },
          uploads: { perCaller: UPLOADS_PER_CALLER, perProcess: 100 },
          downloads: { perCaller: DOWNLOADS_PER_CALLER, perProcess: 100 },
        },
        noticeMs: 0,
        assets: {},
        logger: pino({ level: 'silent' }),
        async identify({ access }, { authorization }) {
          const [, id] = /^Bearer (\d+)$/.exec(authorization ?? '') ?? [];
          if (id === undefined) throw authenticationNeeded(access);
          if (id === '0') return { kind: 'service-account', accountId: 1, name: 'Bot' } as never;
          return { kind: 'person', userId: Number(id), name: 'Ada', sessionId: 's' };
        },
        idempotencyRecords: {} as never, // no operation of the forms takes a key
        mcp: { protectedResourceUrl: '' } as never, // no operation of the forms has the protocol
      }),
    ],
  });
  const { server } = gateway as unknown as { server: { address(): AddressInfo } };
  return { url: () => `http://127.0.0.1:${server.address().port}` };
}

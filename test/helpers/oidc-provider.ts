import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { request } from './http.ts';

const INITIAL_ACCESS_TOKEN = 'initial-access-token';

/** How the provider answers requests of a method, or all: with a status, late, or carried out and answered late. */
interface Mode {
  method?: string;
  status?: number;
  delayMs?: number;
  delayAnswerMs?: number;
}

/** A running OpenID provider, a process of its own. */
export interface OidcProvider {
  url: string;
  /** The environment by which the service uses the provider. */
  env: Record<string, string>;
  setMode(mode: Mode): Promise<void>;
  clients(): Promise<string[]>;
  jwksRequests(): Promise<number>;
  tokenOf(client: { clientId: string; clientSecret: string }, audience?: string): Promise<string>;
  signal(signal: NodeJS.Signals): void;
}

const running = new Set<ChildProcess>();

export function killProviders(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a provider whose access tokens are for the audience. */
export async function startOidcProvider(audience: string): Promise<OidcProvider> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'oidc-provider.mjs')], {
    env: { PATH: process.env.PATH, PORT: String(port), AUDIENCE: audience, INITIAL_ACCESS_TOKEN },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.add(child);
  await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${port}`;
  const get = async <T>(path: string) => JSON.parse((await request(url, 'GET', path)).text) as T;
  return {
    url,
    env: {
      IDP_ISSUER: url,
      IDP_REGISTRATION_URL: `${url}/reg`,
      IDP_INITIAL_ACCESS_TOKEN: INITIAL_ACCESS_TOKEN,
    },
    setMode: async (mode) => void (await request(url, 'POST', '/test/mode', { body: mode })),
    clients: () => get('/test/clients'),
    jwksRequests: () => get('/test/jwks-requests'),
    async tokenOf({ clientId, clientSecret }, resource) {
      const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
      const form = { grant_type: 'client_credentials', ...(resource ? { resource } : {}) };
      const answer = await request<{ access_token: string }>(url, 'POST', '/token', {
        raw: new URLSearchParams(form).toString(),
        headers: {
          authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      });
      return answer.body.access_token;
    },
    signal: (signal) => void child.kill(signal),
  };
}

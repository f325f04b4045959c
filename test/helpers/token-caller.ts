import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type {
  ClientCredentials,
  OAuthCredential,
  TokenResult,
} from '../../services/connections/oauth-tokens/access-token.ts';
import type { TokenTiming } from '../../services/connections/oauth-tokens/token-timing.ts';
import { exitOf } from './process.ts';

export interface TokenOrder {
  credential: OAuthCredential;
  secret: ClientCredentials;
  refusedToken?: string;
  /** Callers that ask at once. */
  callers: number;
}

/** A process that `oauth-tokens-process.ts` runs in. It carries out one order at a time. */
export class TokenCaller {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(uri: string, timing: Partial<TokenTiming>) {
    const script = join(import.meta.dirname, 'oauth-tokens-process.ts');
    this.#child = spawn(process.execPath, [script, uri, JSON.stringify(timing)], {
      env: { PATH: process.env.PATH, NODE_ENV: 'test' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (!this.#child.stdout) throw new TypeError('the process has no stdout');
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  static async start(uri: string, timing: Partial<TokenTiming>): Promise<TokenCaller> {
    const caller = new TokenCaller(uri, timing);
    await caller.#next();
    return caller;
  }

  async ask(order: TokenOrder): Promise<TokenResult[]> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    return (await this.#next()) as TokenResult[];
  }

  /** Lets the process end what it does, and ends it. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    await exitOf(this.#child);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await exitOf(this.#child);
  }

  async #next(): Promise<unknown> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the process has ended');
    return JSON.parse(value);
  }
}

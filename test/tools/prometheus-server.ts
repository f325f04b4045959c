import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '../helpers/wait.ts';

/** An answer of Prometheus' interface, version 1. */
interface Answer<T> {
  status: 'success' | 'error';
  data: T;
  error?: string;
}

/** A Prometheus of this machine, on a free port of 127.0.0.1. */
export class PrometheusServer {
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  /** @param folder has `prometheus.yml`, and gets the data */
  static async start(folder: string): Promise<PrometheusServer> {
    const options = ['--config.file=prometheus.yml', '--storage.tsdb.path=data'];
    const child = spawn('prometheus', [...options, '--web.listen-address=127.0.0.1:0'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    const address = await waitFor('the port of Prometheus', () => {
      if (child.exitCode !== null) throw new Error(`Prometheus has ended: ${log}`);
      return /msg="Listening on" address=(\S+)/.exec(log)?.[1];
    });
    const server = new PrometheusServer(child, `http://${address}`);
    await waitFor('Prometheus', async () => (await fetch(`${server.#url}/-/ready`)).ok);
    return server;
  }

  /** Reads `/api/v1/…`; throws the message of an error. */
  async read<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1/${path}?${new URLSearchParams(query)}`);
    const { status, data, error } = (await response.json()) as Answer<T>;
    if (status === 'error') throw new Error(`${path} ${JSON.stringify(query)}: ${error}`);
    return data;
  }

  /** The values of a query by their series. */
  async query(query: string): Promise<{ metric: Record<string, string>; value: number }[]> {
    type Found = { result: { metric: Record<string, string>; value: [number, string] }[] };
    const { result } = await this.read<Found>('query', { query });
    return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}

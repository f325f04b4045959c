import autocannon, { type Client } from 'autocannon';

const CLIENTS = 16;
const SECONDS = 2;

/** The requests of a load: GET, or POST of JSON when there is a body. */
interface Load {
  headers?: Record<string, string>;
  body?: object;
  /** The expected status of every answer, 200 by default. */
  status?: number;
  /** Keep-alive connections, each with one request at a time. */
  clients?: number;
  /** Paths to read instead of the address's own. Each client reads a share that no other client reads. */
  paths?: readonly string[];
}

/** Measures the requests a second over keep-alive connections. Throws when an answer has another status. */
export async function requestsPerSecond(
  url: string,
  { headers = {}, body, status = 200, clients = CLIENTS, paths }: Load = {},
): Promise<number> {
  const posted = body && {
    method: 'POST' as const,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
  const result = await autocannon({
    url,
    headers,
    connections: clients,
    duration: SECONDS,
    ...posted,
    ...(paths && { setupClient: sharePaths(paths, clients) }),
  });
  const others = Object.keys(result.statusCodeStats ?? {}).filter(
    (found) => found !== String(status),
  );
  if (others.length || result.errors) {
    throw new Error(`${url}: also answered ${others}, ${result.errors} errors`);
  }
  return result.requests.total / result.duration;
}

/**
 * Gives each client every n-th path. Clients that share a list would all begin with its first path, and
 * answers from one batch would keep them in step.
 */
function sharePaths(paths: readonly string[], clients: number): (client: Client) => void {
  let next = 0;
  return (client) => {
    const number = next++;
    const share = paths.filter((_, n) => n % clients === number);
    client.setRequests(share.map((path) => ({ method: 'GET', path })));
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns the median of the ratios of each round's pair. */
export const medianRatio = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));

/**
 * Takes every measure once in each round, so that a change of the machine's speed affects all measures. A first round
 * for warming up does not count. Returns the values of each measure, one for each round.
 */
export async function interleave<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(measures) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const value = await measures[name]();
      if (round > 0) values[name].push(value);
    }
  }
  return values;
}

import autocannon from 'autocannon';

const CONNECTIONS = 16;
const SECONDS = 3;

/** What is sent; a POST where there is a body. */
interface Load {
  headers?: Record<string, string>;
  body?: object;
  /** The status of every answer; 200 unless said. */
  status?: number;
}

/** Requests a second over keep-alive connections; throws when one answer has another status. */
export async function requestsPerSecond(
  url: string,
  { headers = {}, body, status = 200 }: Load = {},
): Promise<number> {
  const result = await autocannon({
    url,
    headers,
    connections: CONNECTIONS,
    duration: SECONDS,
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const others = Object.keys(result.statusCodeStats ?? {}).filter(
    (found) => found !== String(status),
  );
  if (others.length || result.errors) {
    throw new Error(`${url}: also answered ${others}, ${result.errors} errors`);
  }
  return result.requests.average;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Both in turn, so that a machine that changes its speed changes both; the median of the pairs. */
export async function ratio(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ratio: number; ours: number; theirs: number }> {
  await ours();
  await theirs();
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round++) pairs.push([await ours(), await theirs()]);
  return {
    ratio: median(pairs.map(([a, b]) => a / b)),
    ours: median(pairs.map(([a]) => a)),
    theirs: median(pairs.map(([, b]) => b)),
  };
}

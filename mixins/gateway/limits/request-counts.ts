/** The kinds of buckets of a rate limit. */
export const BUCKET_KINDS = ['caller', 'network', 'guess'] as const;
export type BucketKind = (typeof BUCKET_KINDS)[number];

/** The requests that a gateway has admitted for one bucket since it last told the others. */
export interface RequestCount {
  kind: BucketKind;
  key: string;
  count: number;
}

/** Buckets that a gateway counts between two reports. Requests of further ones are not reported. */
const MAX_COUNTED = 10_000;
/** Buckets of one report, those with the most requests. The others are not reported. */
export const MAX_REPORTED = 1_000;

/** Counts the admitted requests of one gateway for its reports to the others. */
export class RequestCounts {
  #counts = new Map<string, RequestCount>();

  /** Adds a request; with -1 takes one back. */
  add(kind: BucketKind, key: string, more: 1 | -1): void {
    const id = `${kind} ${key}`;
    const known = this.#counts.get(id);
    if (known) known.count += more;
    else if (this.#counts.size < MAX_COUNTED) this.#counts.set(id, { kind, key, count: more });
  }

  /**
   * Returns the counts with the most requests, and begins anew. A count below 0 takes back requests of an earlier report,
   * so the count stays and lowers the next report.
   */
  drain(): RequestCount[] {
    const counted = [...this.#counts.values()].filter(({ count }) => count > 0);
    this.#counts = new Map([...this.#counts].filter(([, { count }]) => count < 0));
    return counted.sort((one, other) => other.count - one.count).slice(0, MAX_REPORTED);
  }
}

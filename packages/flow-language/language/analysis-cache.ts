import type { Analysis } from './expression.ts';

/** Approximate bytes of the analyses that a cache keeps. Beyond this size the least recently used analyses are dropped. */
const MAX_BYTES = 1024 * 1024;
/** Approximate bytes of an analysis without its source and its lists. */
const ANALYSIS_BYTES = 300;
/** Approximate bytes of each entry of the lists of an analysis. */
const ENTRY_BYTES = 150;

interface CachedAnalysis {
  source: string;
  analysis: Analysis;
  bytes: number;
}

/**
 * Analyses of expressions by source, for several files of the same tenant. An analysis follows from its source alone,
 * so that a file has the same answer with a cache as without one.
 */
export class AnalysisCache {
  /** The least recently used first: a Map keeps the order of insertion. */
  readonly #known = new Map<string, CachedAnalysis>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the analysis of the source, from the cache where the cache has the analysis. */
  get(source: string, analyse: (source: string) => Analysis): Analysis {
    const known = this.#known.get(source) ?? make(source, analyse);
    if (this.#known.delete(known.source)) this.#bytes -= known.bytes;
    this.#known.set(known.source, known);
    this.#bytes += known.bytes;
    for (const [oldest, { bytes }] of this.#known) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#known.delete(oldest);
      this.#bytes -= bytes;
    }
    return known.analysis;
  }
}

function make(source: string, analyse: (source: string) => Analysis): CachedAnalysis {
  // A copy, because V8 keeps a whole file for each string that was cut out of it.
  const copy = JSON.parse(JSON.stringify(source)) as string;
  const analysis = analyse(copy);
  return { source: copy, analysis, bytes: bytesOf(copy, analysis) };
}

function bytesOf(source: string, analysis: Analysis): number {
  const lists = Object.values(analysis).map((part) => (Array.isArray(part) ? part.length : 0));
  const entries = lists.reduce((sum, count) => sum + count, 0);
  return ANALYSIS_BYTES + 2 * source.length + ENTRY_BYTES * entries;
}

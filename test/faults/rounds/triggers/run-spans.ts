/**
 * The spans of runs in the order in which a target was called: each run calls it when the run begins and before the run
 * ends. The first calls of each count, because the call of a killed worker is repeated. A run is live for longer than its
 * span, so that runs with overlapping spans were live together, whatever the clocks of their processes say.
 */
export class RunSpans {
  /** The place of the first call of each path. */
  readonly #places = new Map<string, number>();

  constructor(calls: readonly { path: string }[]) {
    for (const [place, { path }] of calls.entries()) {
      if (!this.#places.has(path)) this.#places.set(path, place);
    }
  }

  /** The file of a flow with such runs, which take a while so that an occurrence may come in the span of the one before. */
  static flowOf(url: string): string {
    const call = (path: string) =>
      `{ call: http, with: { method: post, endpoint: '\${ "${url}/${path}/" & $string($run.id) }' } }`;
    return `do:
  - arrive: ${call('begin')}
  - rest: { wait: { milliseconds: 300 } }
  - leave: ${call('end')}
`;
  }

  /** Whether each of the runs has begun and has come to its end. */
  areWhole(runIds: readonly number[]): boolean {
    return runIds.every((id) => this.#places.has(`/begin/${id}`) && this.#places.has(`/end/${id}`));
  }

  /** Whether some of the runs were live together. */
  overlap(runIds: readonly number[]): boolean {
    const placeOf = (path: string) => this.#places.get(path) ?? Number.POSITIVE_INFINITY;
    const spans = runIds
      .map((id) => ({ begin: placeOf(`/begin/${id}`), end: placeOf(`/end/${id}`) }))
      .sort((a, b) => a.begin - b.begin);
    return spans.some(({ end }, at) => (spans[at + 1]?.begin ?? end) < end);
  }
}

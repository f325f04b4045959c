/**
 * The latest commit that changed each collection. A transaction with an old snapshot may take a new snapshot before it
 * writes, if no collection that it has read has changed.
 */
export class Changes {
  private clock = 0;
  private readonly last = new Map<string, number>();

  /** The number of commits so far. */
  get now(): number {
    return this.clock;
  }

  /** Notes a commit that has changed these namespaces. */
  note(namespaces: Iterable<string>): void {
    this.clock++;
    for (const namespace of namespaces) this.last.set(namespace, this.clock);
  }

  /** Tells whether a commit after `moment` has changed any of the namespaces. */
  since(moment: number, namespaces: Iterable<string>): boolean {
    for (const namespace of namespaces) if ((this.last.get(namespace) ?? 0) > moment) return true;
    return false;
  }
}

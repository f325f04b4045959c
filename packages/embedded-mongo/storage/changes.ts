/**
 * Which collections have been changed since when. A transaction whose snapshot is no longer the
 * newest may take a new one before it writes, as long as nothing that it has read is another by now.
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

  /** Whether a later commit has changed any of them. */
  since(moment: number, namespaces: Iterable<string>): boolean {
    for (const namespace of namespaces) if ((this.last.get(namespace) ?? 0) > moment) return true;
    return false;
  }
}

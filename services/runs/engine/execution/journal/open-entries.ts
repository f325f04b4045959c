/**
 * The numbers of the journal entries that tasks under way have written: an interpretation that goes on from a
 * checkpoint executes these tasks again, and asks for their entries.
 */
export class OpenEntries {
  /** The numbers by key, for each position of a task. */
  readonly #byPosition = new Map<string, Map<string, number>>();

  add(key: string, n: number): void {
    const position = positionIn(key);
    const keys = this.#byPosition.get(position) ?? new Map<string, number>();
    this.#byPosition.set(position, keys);
    keys.set(key, n);
  }

  /** Removes the entries of a key, and of its suffixes. */
  consume(key: string): void {
    const position = positionIn(key);
    if (key === position) {
      this.#byPosition.delete(position);
      return;
    }
    const keys = this.#byPosition.get(position);
    for (const each of keys?.keys() ?? []) {
      if (each === key || each.startsWith(`${key}#`)) keys?.delete(each);
    }
  }

  /** Lists the numbers of the entries of tasks at the positions. */
  numbersOf(positions: readonly string[]): number[] {
    return positions.flatMap((position) => [...(this.#byPosition.get(position)?.values() ?? [])]);
  }
}

/** The position in a key: the part before the first `#`. The paths of tasks have no `#`. */
function positionIn(key: string): string {
  const mark = key.indexOf('#');
  return mark < 0 ? key : key.slice(0, mark);
}

/** Names of which each is given out once. A name that is taken gets a number: `***`, `*** 2`, `*** 3`. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** The last number of each name, so that many equal names take no search each. */
  readonly #numbers = new Map<string, number>();

  take(name: string): string {
    let unique = name;
    while (this.#taken.has(unique)) {
      const number = (this.#numbers.get(name) ?? 1) + 1;
      this.#numbers.set(name, number);
      unique = `${name} ${number}`;
    }
    this.#taken.add(unique);
    return unique;
  }
}

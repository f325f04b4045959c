interface Keyed {
  key: string;
}

/** Steps by their keys. Of steps with the same key the last one counts. */
export const byKey = <S extends Keyed>(steps: readonly S[]): Map<string, S> =>
  new Map(steps.map((step) => [step.key, step]));

export const keysOf = (steps: readonly Keyed[]): string[] => steps.map(({ key }) => key);

/** What is wrong with a variable of the environment, as one line for the operator: never a secret. */
export interface Fault {
  variable: string;
  /** Goes on after the variable and a colon. */
  text: string;
}

export const fault = (variable: string, text: string): Fault => ({ variable, text });

/** An environment that the service cannot start with. The message has one line for each variable. */
export class EnvironmentError extends Error {
  /** `faults` in the order of their importance: of several for one variable the first counts. */
  constructor(faults: readonly Fault[], hints: readonly string[]) {
    const byVariable = new Map(faults.toReversed().map((one) => [one.variable, one]));
    const lines = faults
      .filter((one) => byVariable.get(one.variable) === one)
      .map(({ variable, text }) => `${variable}: ${text}`);
    super([...lines, ...hints].join('\n'));
    this.name = 'EnvironmentError';
  }
}

import type { Command } from './command.ts';

/** `exit`, `quit`, `q`: leaves the system. Lines that follow are not executed. */
export const exit: Command = {
  command: 'exit',
  alias: ['quit', 'q'],
  description: 'Leave the system',
  async print(operator) {
    operator.end();
    return null;
  },
};

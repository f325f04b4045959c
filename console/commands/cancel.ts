import { parseId } from '../ids.ts';
import type { Command } from './command.ts';

/** `cancel <id>`: cancels a run. */
export const cancel: Command = {
  command: 'cancel <id>',
  description: 'Cancel a run',
  async print(operator, args) {
    const { id, status } = await operator.call('runs.cancel', { runId: parseId('id', args.id) });
    return status === 'CANCELLED'
      ? `run ${id} is cancelled`
      : `run ${id} is ${status}: its worker has been asked to end it`;
  },
};

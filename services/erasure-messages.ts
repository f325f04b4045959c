import type { OutboxMessage } from '../mixins/changes/outbox.ts';
import { contracts } from './contracts.ts';

type Erasure = 'erasePerson' | 'eraseWorkspace';

/** The outbox calls of every service that erases what belongs to a deleted person or workspace. */
export const erasureMessages = (erasure: Erasure, params: object): OutboxMessage[] =>
  contracts
    .filter(({ actions }) => Object.hasOwn(actions, erasure))
    .map(({ name }) => ({ call: `${name}.${erasure}`, params }));

import type { RunDocument } from '../../../../models/run.model.ts';

/** Deaths of workers at the same journal entry. Then the run ends, since it may be what kills them. */
export const MAX_LOSSES = 5;

/** Whether so many workers died under the run since its journal has grown that no further worker may execute it. */
export const isPoisoned = ({ losses, entries }: Pick<RunDocument, 'losses' | 'entries'>): boolean =>
  losses !== undefined && losses.entries === entries && losses.times >= MAX_LOSSES;

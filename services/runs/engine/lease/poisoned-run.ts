import type { RunDocument } from '../../../../models/run.model.ts';

/** Deaths of workers at the same journal entry. Then the run ends, because the run may cause these deaths. */
export const MAX_LOSSES = 5;

/** Whether `MAX_LOSSES` workers have died at the last journal entry of the run, so that no worker may execute the run. */
export const isPoisoned = ({ losses, entries }: Pick<RunDocument, 'losses' | 'entries'>): boolean =>
  losses !== undefined && losses.entries === entries && losses.times >= MAX_LOSSES;

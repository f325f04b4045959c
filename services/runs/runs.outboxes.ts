import { outboxesOf } from '../../mixins/changes/outbox-source.ts';
import { RunModel } from '../../models/run.model.ts';

/** The outboxes of runs. A run has a fence instead of a revision, so that no change store writes runs. */
export const runOutboxes = outboxesOf(RunModel);

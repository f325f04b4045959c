import type { EffectEnd, EffectOf } from './effect.ts';

/** Ends a wait at `untilMs`. The run was suspended until that time, which the journal keeps. */
export async function completeWait({ untilMs }: EffectOf<'wait'>): Promise<EffectEnd> {
  return { kind: 'succeeded', value: null, completedAt: untilMs };
}

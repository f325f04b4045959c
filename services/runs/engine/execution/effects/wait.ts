import type { EffectEnd, EffectOf } from './effect.ts';

/** Ends a wait whose time has come. The run was suspended until then, and the journal keeps that time. */
export async function completeWait({ untilMs }: EffectOf<'wait'>): Promise<EffectEnd> {
  return { kind: 'succeeded', value: null, completedAt: untilMs };
}

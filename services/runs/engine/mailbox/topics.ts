/* The names of the notifications that a suspended run may wait for. */

export const signalTopic = (name: string): string => `signal:${name}`;
export const childTopic = (childId: number): string => `child:${childId}`;

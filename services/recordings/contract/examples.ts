import type { Recording, RecordingSteps } from './resources.ts';

export const recordingExample: Recording = {
  id: 1,
  workspaceId: 1,
  name: 'Book an invoice',
  screen: { width: 1920, height: 1080, scale: 2 },
  status: 'RECORDING',
  nextSequence: 2,
  eventCount: 4,
  createdBy: { type: 'person', id: 1, name: 'Ada Lovelace' },
  createdAt: '2026-01-31T09:30:00.000Z',
  finishedAt: null,
};

/** The events of a batch, and the steps that are made of them. */
export const eventsExample = [
  { type: 'MOVE', afterMs: 120, x: 480, y: 540 },
  { type: 'CLICK', afterMs: 80, x: 480, y: 540 },
  { type: 'KEY', afterMs: 900, key: 'H' },
  { type: 'KEY', afterMs: 95, key: 'i' },
];
const pointer = { x: 480, y: 540, nx: 0.25, ny: 0.5 };
export const stepsExample: RecordingSteps = {
  steps: [
    {
      key: 'step-0001',
      definition: {
        set: {
          action: { type: 'CLICK', ...pointer, button: 'LEFT', afterMs: 200, durationMs: 0 },
        },
      },
    },
    {
      key: 'step-0002',
      definition: {
        set: { action: { type: 'TEXT', ...pointer, text: 'Hi', afterMs: 900, durationMs: 95 } },
      },
    },
  ],
};

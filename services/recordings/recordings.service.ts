import type { ServiceSchema } from 'moleculer';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { RecordingModel } from '../../models/recording.model.ts';
import { RecordingBatchModel } from '../../models/recording-batch.model.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { createShareOwners } from '../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../share-owners/share-owners.ts';
import { finishRecording, setStatus } from './change-status.ts';
import { createRecording } from './create-recording.ts';
import { appendEvents } from './events/append-events.ts';
import { listRecordings } from './list-recordings.ts';
import { recordingsContract } from './recordings.contract.ts';
import { recordings } from './recordings.store.ts';
import { removeBatches, removeRecording } from './remove-recording.ts';
import { showRecording } from './show-recording.ts';
import { StepsOfRecordings } from './steps/recording-steps.ts';

/** Recordings of what people do on a screen, and the steps of workflows that are made of them. */
export function recordingsService(): ServiceSchema {
  const erasures = erasuresOf('recordings', [RecordingModel, RecordingBatchModel]);
  let owners: ShareOwners;
  const steps = new StepsOfRecordings((workspaceId) => owners.ofWorkspace(workspaceId));

  return {
    name: 'recordings',
    mixins: [erasures.mixin, Changes(recordings)],
    actions: implement(
      recordingsContract,
      {
        ...erasures.handlers,
        create: (ctx) => createRecording(ctx.params, changeOf(ctx)),
        list: (ctx) => listRecordings(ctx.params),
        get: (ctx) => showRecording(ctx.locals.resource),
        appendEvents: (ctx) => appendEvents(ctx.locals.resource, ctx.params, changeOf(ctx)),
        pause: (ctx) => setStatus(ctx.locals.resource, 'PAUSED', changeOf(ctx)),
        resume: (ctx) => setStatus(ctx.locals.resource, 'RECORDING', changeOf(ctx)),
        finish: (ctx) => finishRecording(ctx.locals.resource, changeOf(ctx)),
        getSteps: (ctx) => steps.of(ctx.locals.resource),
        remove: (ctx) => removeRecording(ctx.locals.resource, changeOf(ctx)),
        removeBatches: (ctx) => removeBatches(ctx.params),
      },
      { recording: recordings.find },
    ),
    events: {
      ...on(userVerified, () => owners.drop()),
    },
    created() {
      owners = createShareOwners(this.broker, 'recordings');
    },
  };
}

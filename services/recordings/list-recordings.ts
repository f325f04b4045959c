import { ascendingBy } from '../../contract/page-order.ts';
import type { Page } from '../../contract/pages.ts';
import { readPage } from '../../mixins/database/read-page.ts';
import { RecordingModel } from '../../models/recording.model.ts';
import type { Params } from '../contracts.ts';
import type { Recording } from './contract/resources.ts';
import { recordings } from './recordings.store.ts';
import { showRecording } from './show-recording.ts';

/** The recordings of a workspace, by id. */
export function listRecordings({
  workspaceId,
  ...position
}: Params<'recordings.list'>): Promise<Page<Recording>> {
  const order = ascendingBy('_id');
  const { projection } = recordings;
  const query = { filter: { workspaceId }, order, position, projection };
  return readPage(RecordingModel, query, showRecording);
}

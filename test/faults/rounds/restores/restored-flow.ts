import { MongoClient } from 'mongodb';
import type { FlowVersionDocument } from '../../../../models/flow-version.model.ts';
import type { Person } from '../../../helpers/people.ts';
import { createFlow } from '../../../helpers/runs.ts';
import { sendUntilAcknowledged } from '../clients.ts';
import type { StoredVersion } from './restore-faults.ts';

/** Versions of a flow that are there to be restored. */
const VERSIONS = 60;

const fileOf = (n: number): string => `do:\n  - one: { set: { version: ${n} } }\n`;

interface EarlierVersion {
  id: number;
  file: string;
}

/** A flow with several versions of different files. */
export class RestoredFlow {
  readonly id: number;
  /** The versions without the newest, the oldest first. */
  readonly earlier: readonly EarlierVersion[];

  private constructor(id: number, earlier: readonly EarlierVersion[]) {
    this.id = id;
    this.earlier = earlier;
  }

  static async create(person: Person, workspaceId: number): Promise<RestoredFlow> {
    const id = await createFlow(person, workspaceId, fileOf(1));
    const earlier: EarlierVersion[] = [];
    for (let n = 2; n <= VERSIONS; n++) {
      const body = { flowId: id, content: fileOf(n) };
      const put = ['PUT', '/flows', { body }] as const;
      const flow = (await sendUntilAcknowledged<{ versionId: number }>(person, [200], [...put]))
        .body;
      if (n < VERSIONS) earlier.push({ id: flow.versionId, file: body.content });
    }
    return new RestoredFlow(id, earlier);
  }

  /** The number of versions before any restore. */
  get size(): number {
    return VERSIONS;
  }

  /** The versions as the database has them, the oldest first. */
  async readVersions(person: Person, uri: string): Promise<StoredVersion[]> {
    // A read of the list writes the row of a version whose process was killed before.
    await sendUntilAcknowledged(person, [200], ['GET', `/flows/${this.id}/versions`]);
    const client = await MongoClient.connect(uri);
    try {
      const versions = client.db().collection<FlowVersionDocument>('flow_versions');
      return await versions.find({ flowId: this.id }).sort({ sequence: 1 }).toArray();
    } finally {
      await client.close();
    }
  }
}

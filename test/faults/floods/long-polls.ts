import { createWorkspace, type Person, register } from '../../helpers/people.ts';
import { createFlow } from '../../helpers/runs.ts';
import { duringFlood, type FloodReport } from '../flooding/flood.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';

interface People {
  reader: Person;
  flooder: Person;
  flow: number;
}

const RESTING = 'do:\n  - rest: { wait: { days: 1 } }\n';
const POLLS = 1_500;
/** By default, of one caller. */
const MAY_WAIT = 50;

const read = ({ reader }: People) =>
  medianMs(() => answersWith(200, reader.call('GET', '/workspaces')));

const pollOf = ({ flooder, flow }: People): string =>
  [
    `POST /flows/${flow}/runs?wait=30000 HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${flooder.token}`,
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');

const scenario: FloodScenario<People> = {
  name: 'long polls: reads of somebody else',
  bound: 2,
  async prepare({ url }) {
    const [reader, flooder] = [await register(url), await register(url, 'Eve')];
    await createWorkspace(reader);
    const flow = await createFlow(flooder, await createWorkspace(flooder), RESTING);
    return { reader, flooder, flow };
  },
  idle: (_, people) => read(people),
  flooded: ({ url }, people) =>
    duringFlood(
      url,
      {
        kind: 'connections',
        connections: POLLS,
        text: pollOf(people),
        drip: { text: pollOf(people), everyMs: 5_000 },
        seconds: 60,
        localAddress: '127.0.0.2',
      },
      async (flood) => {
        const figure = await read(people);
        assertRefused(await flood.report());
        return figure;
      },
    ),
};

/** Waits until the requests beyond the limit are refused. */
function assertRefused({ statuses }: FloodReport): void {
  const refused = statuses[429] ?? 0;
  if (refused < POLLS - MAY_WAIT) {
    throw new Error(`of ${POLLS} long polls ${refused} were refused: ${JSON.stringify(statuses)}`);
  }
}

export const scenarios = [scenario];

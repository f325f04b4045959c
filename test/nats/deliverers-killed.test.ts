import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { Subscriber } from '../e2e/events/subscriber.ts';
import { EventReceiver } from '../helpers/event-receiver.ts';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import type { ServiceProcess } from '../helpers/process.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import {
  type Ground,
  groundOf,
  servicesExcept,
  startPart,
  untilReady,
  usersOf,
} from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';

const REST = servicesExcept('events');
const ENV = { OUTBOUND_ALLOW: '127.0.0.0/8' };
/** Workspaces. The process that records events of one mostly claims its free lanes, and processes take turns with that. */
const WORKSPACES = 10;
/** Subscriptions of each workspace. */
const SUBSCRIPTIONS = 3;
/** Issues of each workspace, whose events have an order each. */
const ISSUES = 3;
/** Milliseconds of an answer, so that attempts are under way at any time. */
const ANSWER_MS = 20;

let ground: Ground;
let receiver: EventReceiver;
let deliverers: ServiceProcess[];
let url: string;
let client: mongo.MongoClient;

beforeAll(async () => {
  receiver = await EventReceiver.start();
  receiver.reply = async (_event, response) => {
    await sleep(ANSWER_MS);
    response.end();
  };
  ground = await groundOf(dataFolder(), usersOf([REST, 'events']));
  const rest = startPart(ground, REST, ENV);
  deliverers = [1, 2].map(() => startPart(ground, 'events', ENV));
  url = (await rest.ready) ?? '';
  await Promise.all(deliverers.map(({ ready }) => ready));
  await untilReady(url);
  client = await new mongo.MongoClient(ground.database.uri).connect();
});
afterAll(async () => {
  await client.close();
  await receiver.stop();
  await stopServers();
});

/** A subscriber with a count of the titles that each issue has had, beginning at 0. */
interface Writer {
  subscriber: Subscriber;
  paths: readonly string[];
  titles: Map<number, number>;
}

async function startWriter(owner: Person, n: number): Promise<Writer> {
  const subscriber = new Subscriber(owner, await createWorkspace(owner));
  const paths = Array.from({ length: SUBSCRIPTIONS }, (_, at) => `/${n}/${at}`);
  for (const path of paths) {
    await subscriber.subscribe(`${receiver.origin}${path}`, ['issue.created', 'issue.updated']);
  }
  const titles = new Map<number, number>();
  for (let at = 0; at < ISSUES; at++) titles.set((await subscriber.raise('0')).id, 0);
  return { subscriber, paths, titles };
}

/** Renames each issue once, those of a workspace one after another. */
const renameAll = (writers: readonly Writer[]) =>
  Promise.all(
    writers.map(async ({ subscriber, titles }) => {
      for (const [id, title] of titles) {
        await subscriber.rename(id, String(title + 1));
        titles.set(id, title + 1);
      }
    }),
  );

const holders = (): Promise<unknown[]> =>
  client.db().collection('event_subscriptions').distinct('lane.holder');

/** The first deliveries of an issue's events to a receiver, in their order. */
const titlesAt = (path: string, issueId: number): string[] => [
  ...new Set(
    receiver
      .at(path)
      .filter(({ body }) => body.data.id === issueId)
      .map(({ body }) => String(body.data.title)),
  ),
];

test('two processes share the subscriptions; what one delivered when it was killed is delivered by the other, in order', async () => {
  const owner = await registerVerified(url);
  const writers: Writer[] = [];
  for (let n = 0; n < WORKSPACES; n++) writers.push(await startWriter(owner, n));
  await waitFor('lanes of both processes', async () => {
    const { length } = await holders();
    // Lanes that were given up are claimed anew. Of lanes that become due at once, one process may take all.
    if (length === 0) for (const writer of writers) await renameAll([writer]);
    return length === deliverers.length;
  });
  const writing = renameAll(writers);
  deliverers[0]?.signal('SIGKILL');
  await writing;
  await renameAll(writers);
  const expected = writers.flatMap(({ paths, titles }) =>
    paths.flatMap((path) => [...titles].map(([id, last]) => ({ path, id, last }))),
  );
  await waitFor('all events', () =>
    expected.every(({ path, id, last }) => titlesAt(path, id).length === last + 1),
  );
  for (const { path, id, last } of expected) {
    const inOrder = Array.from({ length: last + 1 }, (_, title) => String(title));
    expect(titlesAt(path, id)).toEqual(inOrder);
  }
}, 300_000);

import { connectionOf } from '@workspace-automation/moleculer-nats/address';
import { connect, type NatsConnection } from 'nats';
import { natsUsers } from '../../deploy/nats-users.ts';
import { SERVICE_NAMES, type ServiceName } from '../../environment/process.ts';
import { killNats, TestNats } from '../helpers/nats.ts';

const PREFIX = 'MOL-workspace-automation';
let nats: TestNats;
const open: NatsConnection[] = [];

beforeAll(async () => {
  const one = (name: ServiceName): [string, ServiceName[]] => [name, [name]];
  nats = await TestNats.start(natsUsers(Object.fromEntries(SERVICE_NAMES.map(one))));
});
afterAll(async () => {
  await Promise.all(open.map((connection) => connection.close()));
  nats.forgetRefusals();
  await killNats();
});

async function signIn(user: string): Promise<NatsConnection> {
  const connection = await connect(connectionOf(nats.urlOf(user)));
  open.push(connection);
  return connection;
}

/** Whether nats-server hands a message from the one to the other. */
async function arrives(sender: string, subject: string, receiver: string): Promise<boolean> {
  const [from, to] = await Promise.all([signIn(sender), signIn(receiver)]);
  let arrived = false;
  to.subscribe(subject, {
    callback: (error) => {
      arrived ||= !error;
    },
  });
  await to.flush();
  from.publish(subject.replace(/>$/, 'x'));
  await from.flush();
  await to.flush();
  return arrived;
}
const allowed = (sender: string, subject: string, receiver: string) =>
  arrives(sender, `${PREFIX}.${subject}`, receiver);

test.each([
  ['api', 'REQB.identity.signIn', 'identity'],
  ['api', 'REQB.runs.start', 'runs'],
  ['runs', 'REQB.flows.versionForRun', 'flows'],
  ['issues', 'REQB.workspaces.roleOf', 'workspaces'],
  ['identity', 'EVENTB.workspaces.user.verified', 'workspaces'],
  ['identity', 'RES.api.host-1', 'api'],
  ['flows', 'EVENT.runs.host-1', 'runs'],
  ['api', 'UP.issues', 'issues'],
  ['issues', 'UP.node.issues.host', 'issues'],
  ['console', 'REQB.runs.listWorkers', 'runs'],
  ['runs', 'RES.console.console-host-1', 'console'],
  ['api', 'PROBE.runs.host-1', 'runs'],
  ['runs', 'PROBED.runs.api.host-1', 'api'],
  ['api', 'STREAM.issues.host-1', 'issues'],
  ['issues', 'STREAM.api.host-1', 'api'],
])('%s may send %s to %s', async (sender, subject, receiver) => {
  expect(await allowed(sender, subject, receiver)).toBe(true);
});

test.each([
  ['calls what its code does not call', 'issues', 'REQB.identity.signIn', 'identity'],
  ['calls what only services call', 'api', 'REQB.flows.versionForRun', 'flows'],
  ['calls runs', 'flows', 'REQB.runs.start', 'runs'],
  ['answers who does not call it', 'issues', 'RES.flows.host-1', 'flows'],
  ['calls a node by its name', 'api', 'REQ.identity.host-1', 'identity'],
  ['says that an address is verified', 'issues', 'EVENTB.workspaces.user.verified', 'workspaces'],
  ['sends parts of a stream to who does not call it', 'flows', 'STREAM.issues.host-1', 'issues'],
  ['answers a probe for another', 'issues', 'PROBED.runs.api.host-1', 'api'],
  ['says that nobody took a call', 'runs', 'NOBODY.api.host-1.1', 'api'],
])('nobody %s: %s sends no %s', async (_, sender, subject, receiver) => {
  expect(await allowed(sender, subject, receiver)).toBe(false);
});

test.each([
  ['answers to another', 'issues', 'RES.api.host-1', 'identity'],
  ['any answers', 'issues', 'RES.>', 'identity'],
  ['streams of another', 'issues', 'STREAM.api.host-1', 'runs'],
  ['answers to probes of another', 'issues', 'PROBED.runs.api.host-1', 'runs'],
  ['calls of another', 'api', 'REQB.identity.signIn', 'api'],
  ['all calls', 'flows', '>', 'api'],
  ['events for another', 'api', 'EVENT.runs.host-1', 'runs'],
  ['whether another is asked for', 'issues', 'UP.identity', 'api'],
])('nobody reads %s: %s', async (_, reader, subject, sender) => {
  expect(await allowed(sender, subject, reader)).toBe(false);
});

test('an inbox of another is not to be read', async () => {
  expect(await arrives('identity', '_INBOX.api.x', 'issues')).toBe(false);
});

test('a console is called by nobody', async () => {
  expect(await allowed('api', 'REQB.console.x', 'console')).toBe(false);
});

import { type ChildProcess, execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { passwordsFile } from '../../deploy/nats-passwords.ts';
import { type NatsUser, usersFile } from '../../deploy/nats-users-file.ts';
import { freePort } from './free-port.ts';
import { spawnNats } from './nats.ts';
import { exitOf } from './process.ts';

const CLUSTER = join(import.meta.dirname, '../../deploy/nats/cluster');
const PASSWORD = 'only-for-tests';
/** The user who may publish and subscribe everything. */
const ADMIN = 'admin';

interface Member {
  folder: string;
  port: number;
  routePort: number;
  child?: ChildProcess;
}

/** Three real nats-servers with the configuration and the certificates of `deploy/nats/cluster`, on this machine. */
export class NatsCluster {
  readonly #folder: string;
  readonly #members: readonly Member[];

  private constructor(folder: string, members: readonly Member[]) {
    this.#folder = folder;
    this.#members = members;
  }

  /** Writes the files of each server and starts them all. */
  static async start(folder: string, users: readonly NatsUser[]): Promise<NatsCluster> {
    const members: Member[] = [];
    for (const index of [1, 2, 3]) {
      const [port, routePort] = [await freePort(), await freePort()];
      members.push({ folder: join(folder, `nats-${index}`), port, routePort });
    }
    const cluster = new NatsCluster(folder, members);
    await promisify(execFile)('sh', [
      join(CLUSTER, 'make-certificates.sh'),
      folder,
      'localhost,nats',
    ]);
    const all: NatsUser = { name: ADMIN, publish: ['>'], subscribe: ['>'] };
    for (const member of members) cluster.#write(member, [all, ...users]);
    await Promise.all(members.map((_, index) => cluster.startServer(index)));
    return cluster;
  }

  get authorityFile(): string {
    return join(this.#folder, 'nats-ca.pem');
  }

  /** The addresses of all servers for a user. */
  urlOf(user = ADMIN): string {
    const hosts = this.#members.map(({ port }) => `localhost:${port}`);
    return `tls://${user}:${PASSWORD}@${hosts.join(',tls://')}`;
  }

  /** The address of one server for the user who may do everything. */
  urlAt(index: number): string {
    return `tls://${ADMIN}:${PASSWORD}@localhost:${this.#member(index).port}`;
  }

  get size(): number {
    return this.#members.length;
  }

  /** Starts a server, and resolves when it has routes to the others that run. */
  async startServer(index: number): Promise<void> {
    const member = this.#member(index);
    const others = this.#members.filter((other) => other !== member && isRunning(other)).length;
    const isReady = (log: string) => {
      const routes = log.match(/Route connection created/g) ?? [];
      return log.includes('Server is ready') && routes.length >= others;
    };
    const file = join(member.folder, 'nats-server.conf');
    member.child = (await spawnNats(file, { isReady })).child;
  }

  /** SIGKILL of a server. */
  async killServer(index: number): Promise<void> {
    const { child } = this.#member(index);
    if (!child?.pid) return;
    child.kill('SIGKILL');
    await exitOf(child);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((_, index) => this.killServer(index)));
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (!member) throw new Error(`there is no server ${index}`);
    return member;
  }

  /** The files as they lie on the machine of a server, with the ports of this one. */
  #write(member: Member, users: readonly NatsUser[]): void {
    mkdirSync(member.folder);
    const routes = this.#members.map(({ routePort }) => `localhost:${routePort}`);
    let text = readFileSync(join(CLUSTER, 'nats-server.conf'), 'utf8')
      .replace('port: 4222', `listen: "127.0.0.1:${member.port}"`)
      .replace('port: 6222', `listen: "127.0.0.1:${member.routePort}"`)
      .replace('127.0.0.1:8222', '127.0.0.1:-1')
      .replaceAll('/etc/nats/', `${member.folder}/`);
    routes.forEach((route, index) => {
      text = text.replace(`nats-${index + 1}.example.com:6222`, route);
    });
    const passwords = Object.fromEntries(users.map(({ name }) => [name, PASSWORD]));
    const files = {
      'nats-server.conf': text,
      'users.conf': usersFile(users),
      'passwords.conf': passwordsFile(passwords),
    };
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(member.folder, name), content);
    }
    cpSync(this.authorityFile, join(member.folder, 'ca.pem'));
    cpSync(join(this.#folder, 'localhost.pem'), join(member.folder, 'server.pem'));
    cpSync(join(this.#folder, 'localhost-key.pem'), join(member.folder, 'server-key.pem'));
  }
}

const isRunning = ({ child }: Member): boolean =>
  child !== undefined && child.exitCode === null && child.signalCode === null;

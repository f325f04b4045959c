import { passwordVariable } from './nats-passwords.ts';

/** A user of NATS with the subjects that it may publish and subscribe. All other subjects are refused. */
export interface NatsUser {
  name: string;
  publish: readonly string[];
  subscribe: readonly string[];
}

/** Returns the users in nats-server's notation. `passwords.conf` beside the file has a line for each variable. */
export function usersFile(users: readonly NatsUser[]): string {
  const list = (subjects: readonly string[]) => JSON.stringify([...subjects].sort(), null, 8);
  const blocks = users.map(
    ({ name, publish, subscribe }) => `    {
      user: ${JSON.stringify(name)}
      password: $${passwordVariable(name)}
      permissions: {
        publish: ${list(publish)}
        subscribe: ${list(subscribe)}
      }
    }`,
  );
  return `include "passwords.conf"

authorization {
  users: [
${blocks.join('\n')}
  ]
}
`;
}

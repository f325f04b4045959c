import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUPS } from '../../../deploy/secrets.ts';
import { request } from '../../helpers/http.ts';
import { PASSWORD, type Person } from '../../helpers/people.ts';
import type { TestMailServer } from '../../helpers/smtp.ts';
import { waitFor } from '../../helpers/wait.ts';
import type { System } from '../../helpers/system.ts';

/** The files of `make-secrets` that do not belong to a container, by the variable that names them. */
const SECRETS = {
  JWT_PRIVATE_KEYS_FILE: 'jwt-private-keys.json',
  CREDENTIALS_MASTER_KEYS_FILE: 'credentials-master-keys',
};

/** Makes the environment of processes in production: keys in files of that folder, mails to that server. */
export function productionEnv(folder: string, mails: TestMailServer): Record<string, string> {
  const secrets = Object.assign({}, ...GROUPS.map((group) => group.make()));
  mkdirSync(folder, { recursive: true });
  const files = Object.entries(SECRETS).map(([name, file]) => {
    const path = join(folder, file);
    writeFileSync(path, secrets[file], { mode: 0o600 });
    return [name, path];
  });
  return {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://service.test',
    SMTP_URL: mails.url,
    MAIL_FROM: 'service@service.test',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off', // all clients of the trial are one person
    ...Object.fromEntries(files),
  };
}

/** Registers a person, who verifies the address by the token in the mail. Requests go to the first gateway that runs. */
export async function registerByMail(system: System, mails: TestMailServer): Promise<Person> {
  const email = 'ada@example.com';
  const { status, body, text } = await request<{
    accessToken: string;
    refreshToken: string;
    user: { id: number };
  }>(system.url, 'POST', '/auth/register', {
    body: { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' },
  });
  if (status !== 201) throw new Error(`registering answered ${status}: ${text}`);
  const { accessToken: token, refreshToken, user } = body;
  const person = system.follow({ id: user.id, email, token, refreshToken } as Person);
  const verified = await person.call('POST', '/auth/email/verify', {
    body: { token: await tokenOf(mails) },
  });
  if (verified.status !== 204) throw new Error(`verifying answered ${verified.text}`);
  return person;
}

const tokenOf = (mails: TestMailServer): Promise<string> =>
  waitFor('the mail with a token', () => {
    const source = mails.taken
      .at(-1)
      ?.source.replace(/=\r?\n/g, '')
      .replaceAll('=3D', '=');
    return /#verify=([\w.-]+)/.exec(source ?? '')?.[1];
  });

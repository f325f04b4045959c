/** Who joins as the operator: calls everything and is called by nobody. */
export const CONSOLE = 'console';

/** The variable of the configuration that holds a user's password. */
export const passwordVariable = (user: string): string =>
  `PASSWORD_${user.toUpperCase().replaceAll(/\W/g, '_')}`;

/** What `passwords.conf` says. */
export const passwordsFile = (passwords: Readonly<Record<string, string>>): string =>
  Object.entries(passwords)
    .map(([user, password]) => `${passwordVariable(user)}: ${JSON.stringify(password)}`)
    .join('\n');

/** Well-known passwords of 12 characters and more that no rule below finds. */
const KNOWN = new Set([
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  '1qaz2wsx3edc4rfv',
  'qazwsxedcrfv',
  'zaq12wsxcde3',
  'q1w2e3r4t5y6',
  'abcd1234abcd1234',
  'correcthorsebatterystaple',
  'ilovemyfamily',
  'iloveyousomuch',
  'letmeinplease',
  'mynameis1234',
  'nevergonnagiveyouup',
  'opensesame123',
  'thisismypassword',
  'unknown123456',
  'whatever12345',
]);

/** Common words. One to four of them, with any characters but letters around them, are a common password. */
const WORDS = [
  'password|passwort|passw0rd|p@ssw0rd|p@ssword|pa$$word|pa55word|passphrase|mypassword|motdepasse',
  'contrasena|contraseña|administrator|administrador|admin|changeme|default|iloveyou|letmein|login',
  'welcome|secret|supersecret|master|qwerty|qwertz|azerty|dragon|monkey|football|baseball|superman',
  'batman|pokemon|starwars|princess|sunshine|trustno1|computer|internet|michael|liverpool|hello',
  'summer|winter|spring|autumn|january|december|workspace|automation|user|test|root|guest',
]
  .join('|')
  .replaceAll('$', '\\$')
  .split('|');
const DRESSED_WORD = new RegExp(`^\\P{L}*(?:(?:${WORDS.join('|')})\\P{L}*){1,4}$`, 'u');

/** Sequences of the alphabet, of digits and of keyboard rows, forwards and backwards. */
const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1234567890qwertyuiop',
].flatMap((run) => [run, [...run].reverse().join('')]);

/** A repeated unit of one to six characters, with up to five further characters. */
const REPEATED = /^(.{1,6})\1+(.{0,5})$/su;

/** Whether the password, in lower case, is common. Attackers try common passwords first. */
export function isCommonPassword(text: string): boolean {
  return (
    KNOWN.has(text) ||
    DRESSED_WORD.test(text) ||
    RUNS.some((run) => run.includes(text)) ||
    isRepeated(text)
  );
}

function isRepeated(text: string): boolean {
  const [, unit = '', rest = ''] = REPEATED.exec(text) ?? [];
  return unit !== '' && unit.startsWith(rest);
}

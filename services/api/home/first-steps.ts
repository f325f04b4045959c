/** A step of the first flow: what it does, and the commands for a POSIX shell. */
export interface FirstStep {
  title: string;
  commands: string;
}

/** A word in single quotes for a shell. A URL has no other character that ends the quotes. */
const quoted = (url: string): string => `'${url.replaceAll("'", '%27')}'`;

/** The first flow with curl alone, each step with the values of the steps before. `base` is the address of the service. */
export const firstSteps = (base: string): FirstStep[] => [
  {
    title: 'Register, with an e-mail address and a password of your own.',
    commands: `BASE=${quoted(base)}
# Prints a field of an answer, or the whole answer as an error where it has no such field.
value() { sed -n -e "s/.*\\"$1\\":\\"*\\([^\\",}]*\\).*/\\1/p" -e t -e 'w /dev/stderr'; }

TOKEN=$(curl -s "$BASE/auth/register" -H 'Content-Type: application/json' \\
  -d '{"email":"ada@example.com","password":"a long enough password","firstName":"Ada","lastName":"Lovelace"}' | value accessToken)
AUTH="Authorization: Bearer $TOKEN"`,
  },
  {
    title: 'Create a workspace.',
    commands: `WORKSPACE=$(curl -s -X POST -H "$AUTH" "$BASE/workspaces?name=Engines" | value id)`,
  },
  {
    title:
      'Store a flow. The service checks it as a whole, and names each fault with line and column.',
    commands: `cat > hello.yaml <<'END'
do:
  - rest: { wait: { seconds: 1 } }
  - greet: { set: { text: '\${ "Hello, " & $input.name & "!" }' } }
END
FLOW=$(curl -s "$BASE/flows?workspaceId=$WORKSPACE&name=hello" -H "$AUTH" \\
  -H 'Content-Type: application/yaml' --data-binary @hello.yaml | value id)`,
  },
  {
    title: 'Run it, and wait up to 30 seconds for the result.',
    commands: `curl -s "$BASE/flows/$FLOW/runs?wait=30000" -H "$AUTH" -H 'Content-Type: application/json' \\
  -d '{"input":{"name":"Ada"}}'`,
  },
];

const password = { name: 'password', label: 'Password', type: 'password' };
const newPassword = {
  name: 'newPassword',
  label: 'New password, of 12 characters or more',
  type: 'password',
  autocomplete: 'new-password',
};

/** The form for each purpose of a link. A field `unless` is left out where that checkbox is set, one `when` where it is not. */
const FORMS = {
  verify: {
    title: 'Verify your e-mail address',
    fields: [
      {
        name: 'takeover',
        label: 'Set a new password: I did not make the account, or forgot its password',
        type: 'checkbox',
      },
      { ...password, unless: 'takeover' },
      { ...newPassword, when: 'takeover' },
    ],
    button: 'Verify',
    send: verify,
  },
  reset: {
    title: 'Set a new password',
    fields: [newPassword],
    button: 'Set the password',
    send: reset,
  },
  undo: {
    title: 'Undo the change of your e-mail address',
    fields: [],
    button: 'Undo the change',
    send: undo,
  },
  free: {
    title: 'Free your e-mail address',
    fields: [],
    button: 'Free the address',
    send: free,
  },
  invitation: {
    title: 'Join a workspace',
    fields: [
      { name: 'register', label: 'I have no account yet', type: 'checkbox' },
      { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' },
      { ...password, unless: 'register' },
      { ...newPassword, when: 'register' },
      { name: 'firstName', label: 'First name', type: 'text', when: 'register' },
      { name: 'lastName', label: 'Last name', type: 'text', when: 'register' },
    ],
    button: 'Join',
    send: join,
  },
};

/** The purpose and the token of a fragment; null for any other fragment. */
function readLink(fragment) {
  const [, purpose, token] =
    /^#(verify|reset|undo|free|invitation)=([\w.-]{1,1000})$/.exec(fragment) ?? [];
  return purpose === undefined ? null : { purpose, token };
}

async function verify(token, values) {
  const { takeover, ...proof } = values;
  await post('auth/email/verify', { token, ...proof });
  return 'Your e-mail address is verified.';
}

async function reset(token, values) {
  await post('auth/password/reset', { token, ...values });
  return 'The new password is set. Sign in with it.';
}

/** Frees an address that somebody else's account claims. */
async function free(token) {
  await post('auth/email/undo', { token });
  return 'This e-mail address is free: no account has it.';
}

async function undo(token) {
  await post('auth/email/undo', { token });
  return 'The account has this e-mail address again. A mail was sent with a link to set a new password.';
}

/** Accepts an invitation in a session that ends at once. */
async function join(token, values) {
  const session = await openSession(values);
  if (session.accessToken === undefined) {
    return 'A mail was sent to that address. Confirm the registration by its link, then open the link of the invitation again.';
  }
  try {
    const { workspaceName, email: invited } = await post(
      'workspaces/invitations/accept',
      { token },
      { Authorization: `Bearer ${session.accessToken}` },
    );
    const { email } = session.user;
    const joined = `You have joined the workspace ${workspaceName}.`;
    return keyOf(email) === keyOf(invited)
      ? joined
      : `${joined}\nThe invitation was for ${invited}, and you have joined as ${email}. The owners of the workspace see that.`;
  } finally {
    await post('auth/sign-out', { refreshToken: session.refreshToken }).catch(() => undefined);
  }
}

/** The form in which the service compares addresses. */
function keyOf(email) {
  const key = email.trim().normalize('NFC').toLowerCase().normalize('NFC');
  const domain = key.slice(key.lastIndexOf('@') + 1);
  return `${key.slice(0, -domain.length)}${new URL(`https://${domain}`).hostname}`;
}

function openSession({ register, newPassword: chosen, ...values }) {
  return register
    ? post('auth/register', { ...values, password: chosen })
    : post('auth/sign-in', values);
}

/** Sends a request. Resolves with the answer's JSON, if any; rejects with an Error that says what was refused. */
async function post(path, body, headers = {}) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    credentials: 'omit',
  }).catch(() => {
    throw new Error('The service cannot be reached. Try again.');
  });
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(describe(content, answer.status));
  return content;
}

/** The sentences of a problem document (RFC 9457), with the message of each wrong field. */
function describe({ detail, errors }, status) {
  if (typeof detail !== 'string') return `The service answered ${status}. Try again.`;
  const more = (errors ?? []).map(({ path, message }) => `${path} ${message}`);
  return [detail, ...more.filter((line) => !detail.includes(line))].join('\n');
}

/** Makes an element. Data becomes text or a property, never HTML. */
function element(tag, properties = {}, children = []) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Makes an input with its label. */
function makeField(field) {
  const { name, label, type, autocomplete = 'current-password' } = field;
  const input = element('input', { id: name, type });
  if (type === 'password' || type === 'email') input.autocomplete = autocomplete;
  const caption = element('label', { htmlFor: name, textContent: label });
  return { field, input, box: element('div', {}, [caption, input]) };
}

const isSet = (made, name) => made.some(({ field, input }) => field.name === name && input.checked);

/** Shows and requires the fields that the checkboxes ask for. */
function fitFields(made) {
  for (const { field, input, box } of made) {
    const isAsked =
      (field.when === undefined || isSet(made, field.when)) &&
      (field.unless === undefined || !isSet(made, field.unless));
    box.hidden = !isAsked;
    input.disabled = !isAsked;
    input.required = isAsked && field.type !== 'checkbox';
  }
}

const valuesOf = (made) =>
  Object.fromEntries(
    made
      .filter(({ input }) => !input.disabled)
      .map(({ field, input }) => [
        field.name,
        field.type === 'checkbox' ? input.checked : input.value,
      ]),
  );

/** Shows the form for a link in the section, in place of a former one. */
function showForm(section, { purpose, token }) {
  const { title, fields, button: label, send } = FORMS[purpose];
  const made = fields.map(makeField);
  const button = element('button', { type: 'submit', textContent: label });
  const form = element('form', {}, [...made.map(({ box }) => box), button]);
  const message = element('p', { role: 'status' });
  message.style.whiteSpace = 'pre-line';
  form.addEventListener('change', () => fitFields(made));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    message.textContent = 'Please wait.';
    try {
      message.textContent = await send(token, valuesOf(made));
      form.remove();
    } catch (error) {
      message.textContent = error.message;
    }
    button.disabled = false;
  });
  fitFields(made);
  section.replaceChildren(element('h2', { textContent: title }), form, message);
  section.hidden = false;
}

/** Takes the token out of the address, so that neither the history nor a copied address has it. */
function openLink() {
  const link = readLink(location.hash);
  if (!link) return;
  history.replaceState(null, '', location.pathname);
  showForm(document.getElementById('task'), link);
}

window.addEventListener('hashchange', openLink);
openLink();

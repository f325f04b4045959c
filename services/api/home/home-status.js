/** The address of the service as the browser reached the page, without a slash at the end. */
const address = new URL('.', location.href).href.replace(/\/$/, '').replaceAll("'", '%27');

/** Shows the commands with the page's own address, each with a button that copies. */
function completeSteps(list) {
  const { base } = list.dataset;
  for (const code of list.querySelectorAll('code')) {
    code.textContent = code.textContent.replaceAll(base, address);
    if (navigator.clipboard) code.parentElement.append(makeCopyButton(code));
  }
}

function makeCopyButton(code) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(`${code.textContent}\n`);
    button.textContent = 'Copied';
  });
  return button;
}

/** Says whether the service takes requests, and which version runs. */
async function showStatus(line) {
  const [live, ready] = await Promise.all(['health/live', 'health/ready'].map(readJson));
  const version = live?.version === undefined ? '' : ` Version ${live.version}.`;
  line.textContent = `${describeReadiness(ready)}${version}`;
}

function describeReadiness(ready) {
  if (ready?.status === 'up') return 'The service takes requests.';
  const { detail } = ready ?? {};
  return detail ? `The service is not ready. ${detail}` : 'The service is not ready.';
}

/** The JSON that a path answers; undefined where the service cannot be reached. */
const readJson = (path) =>
  fetch(path, { credentials: 'omit' })
    .then((answer) => answer.json())
    .catch(() => undefined);

completeSteps(document.getElementById('steps'));
showStatus(document.getElementById('status'));

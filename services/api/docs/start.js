/** The address of the service as the browser reached the page. The page's policy allows requests to this address alone. */
const address = new URL('.', location.href).href.replace(/\/$/, '');
const documentUrl = `${address}/openapi.json`;

/** Replaces the servers of the document by the page's own address, so that "Try it out" works wherever the page was opened. */
function replaceServers(response) {
  if (response.url !== documentUrl || response.status !== 200) return response;
  const text = JSON.stringify({ ...JSON.parse(response.text), servers: [{ url: address }] });
  return Object.assign(response, { text });
}

/** The text by which the filter finds an operation. */
const textOf = (operation, tag) =>
  [
    tag,
    operation.get('method'),
    operation.get('path'),
    operation.getIn(['operation', 'operationId']),
    operation.getIn(['operation', 'summary']),
  ]
    .join(' ')
    .toLowerCase();

/** Keeps the operations with every word of the phrase in their tag, method, path, id or summary. */
function findOperations(tags, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  return tags
    .map((group, tag) =>
      group.set(
        'operations',
        group.get('operations').filter((operation) => {
          const text = textOf(operation, tag);
          return words.every((word) => text.includes(word));
        }),
      ),
    )
    .filter((group) => group.get('operations').size > 0);
}

function nameFilter() {
  const input = document.querySelector('.operation-filter-input');
  if (input) input.placeholder = 'Find operations by words of their path, name or summary';
}

window.addEventListener('load', () => {
  window.SwaggerUIBundle({
    url: documentUrl,
    dom_id: '#reference',
    deepLinking: true,
    filter: true,
    docExpansion: 'list',
    validatorUrl: null,
    defaultModelsExpandDepth: 0,
    displayOperationId: true,
    displayRequestDuration: true,
    // Tokens and keys stay in the memory of the page: API keys do not expire, and others may use this browser.
    persistAuthorization: false,
    responseInterceptor: replaceServers,
    plugins: [() => ({ fn: { opsFilter: findOperations } })],
    onComplete: nameFilter,
  });
});

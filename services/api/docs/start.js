window.addEventListener('load', () => {
  window.SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    validatorUrl: null,
    defaultModelsExpandDepth: 0,
  });
});

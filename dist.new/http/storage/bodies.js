/**
 * How bodies are read is the route's affair, not the sender's: on these routes JSON is understood, text is text, and anything else
 * is nothing, which the route's schema then refuses.
 */
export function readJsonBodies(app) {
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, null));
}
/** The same for routes where an empty body is as good as none, whatever it calls itself. */
export function readOptionalJsonBodies(app) {
    const parse = app.getDefaultJsonParser('error', 'error');
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => body === '' ? done(null, undefined) : parse(request, body, done));
    readJsonBodies(app);
}
/** On these routes a body is a file or a form, and read by the handler. A Content-Type that is none is still refused. */
export function leaveBodies(app) {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

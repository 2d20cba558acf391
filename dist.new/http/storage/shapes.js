import { FILE_SIZE_PATTERN } from '../../storage/limits.js';
/**
 * Pieces of JSON schemas that several endpoints share. Their order and grouping is what the messages of refusals are made of, which
 * clients and tests of theirs compare with.
 */
/** A number of bytes, words for one, or null. */
export const FILE_SIZE_LIMIT = {
    anyOf: [
        { type: 'integer', minimum: 0, nullable: true, finite: true },
        { type: 'string', pattern: FILE_SIZE_PATTERN },
    ],
};
export const MEDIA_TYPES = { type: 'array', nullable: true, items: { type: 'string' } };
/** Options for images: looked at even where nothing is transformed. */
export const TRANSFORM = {
    width: { type: 'integer', minimum: 0 },
    height: { type: 'integer', minimum: 0 },
    resize: { type: 'string', enum: ['cover', 'contain', 'fill'] },
    format: { type: 'string', enum: ['origin', 'avif', 'webp'] },
    quality: { type: 'integer', minimum: 20, maximum: 100 },
    gravity: {
        type: 'string',
        enum: ['no', 'so', 'ea', 'we', 'noea', 'nowe', 'soea', 'sowe', 'ce', 'sm', 'fp'],
    },
    x_offset: { type: 'number', minimum: 0, maximum: 1 },
    y_offset: { type: 'number', minimum: 0, maximum: 1 },
};
/** A focus point is given by both of its coordinates. */
export const FOCUS_POINT = {
    if: { properties: { gravity: { const: 'fp' } }, required: ['gravity'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['x_offset', 'y_offset'] },
};
export const SIGNED_LIFE = { type: 'integer', minimum: 1 };
/** A name to save under; empty: the client's choice. */
export const DOWNLOAD = { type: 'string' };

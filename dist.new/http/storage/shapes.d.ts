/**
 * Pieces of JSON schemas that several endpoints share. Their order and grouping is what the messages of refusals are made of, which
 * clients and tests of theirs compare with.
 */
/** A number of bytes, words for one, or null. */
export declare const FILE_SIZE_LIMIT: {
    readonly anyOf: readonly [{
        readonly type: 'integer';
        readonly minimum: 0;
        readonly nullable: true;
        readonly finite: true;
    }, {
        readonly type: 'string';
        readonly pattern: "^[0-9]+(?:\\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$";
    }];
};
export declare const MEDIA_TYPES: {
    readonly type: 'array';
    readonly nullable: true;
    readonly items: {
        readonly type: 'string';
    };
};
/** Options for images: looked at even where nothing is transformed. */
export declare const TRANSFORM: {
    readonly width: {
        readonly type: 'integer';
        readonly minimum: 0;
    };
    readonly height: {
        readonly type: 'integer';
        readonly minimum: 0;
    };
    readonly resize: {
        readonly type: 'string';
        readonly enum: readonly ['cover', 'contain', 'fill'];
    };
    readonly format: {
        readonly type: 'string';
        readonly enum: readonly ['origin', 'avif', 'webp'];
    };
    readonly quality: {
        readonly type: 'integer';
        readonly minimum: 20;
        readonly maximum: 100;
    };
    readonly gravity: {
        readonly type: 'string';
        readonly enum: readonly ['no', 'so', 'ea', 'we', 'noea', 'nowe', 'soea', 'sowe', 'ce', 'sm', 'fp'];
    };
    readonly x_offset: {
        readonly type: 'number';
        readonly minimum: 0;
        readonly maximum: 1;
    };
    readonly y_offset: {
        readonly type: 'number';
        readonly minimum: 0;
        readonly maximum: 1;
    };
};
/** A focus point is given by both of its coordinates. */
export declare const FOCUS_POINT: {
    readonly if: {
        readonly properties: {
            readonly gravity: {
                readonly const: 'fp';
            };
        };
        readonly required: readonly ['gravity'];
    };
    readonly then: {
        readonly required: readonly ['x_offset', 'y_offset'];
    };
};
export declare const SIGNED_LIFE: {
    readonly type: 'integer';
    readonly minimum: 1;
};
export type InBucket = {
    Params: {
        bucketName: string;
    };
};
export type InObject = {
    Params: {
        bucketName: string;
        '*': string;
    };
};
/** A name to save under; empty: the client's choice. */
export declare const DOWNLOAD: {
    readonly type: 'string';
};

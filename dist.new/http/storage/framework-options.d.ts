/**
 * What the storage routes want of the framework; for whoever makes the instance.
 * Bodies are coerced as the peer's are: a scalar for a list, a word for a number.
 */
export declare const STORAGE_FRAMEWORK_OPTIONS: {
    readonly ajv: {
        readonly customOptions: {
            readonly keywords: [{
                readonly keyword: 'finite';
                readonly schemaType: 'boolean';
                readonly validate: (wanted: boolean, value: unknown) => boolean;
            }];
        };
    };
    readonly routerOptions: {
        readonly maxParamLength: 2500;
    };
};

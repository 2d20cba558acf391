import { type Option, type OptionValue } from './options.ts';
/** The manual's page about settings, in Markdown. */
export declare function describeOptions(): string;
/** A value as a person would write it. Secrets are not shown. */
export declare function valueText(option: Option<OptionValue>, value: OptionValue): string;

import { Command } from 'commander';
export declare function extensionCommand(): Command;

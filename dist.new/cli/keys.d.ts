import { Command } from 'commander';
export declare const keysCommand: () => Command;

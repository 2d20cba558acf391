import { Command } from 'commander';
export declare const serveCommand: () => Command;

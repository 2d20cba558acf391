import { Command } from 'commander';
export declare const checkConfigCommand: () => Command;

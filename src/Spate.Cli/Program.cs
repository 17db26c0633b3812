using Spate.Cli;

return CommandLine.Run(args, Streams.OfProcess());

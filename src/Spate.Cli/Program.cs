using Spate.Cli;

return StartNeeds.AreMet() ? CommandLine.Run(args, Streams.OfProcess()) : ExitCode.CouldNotRun;

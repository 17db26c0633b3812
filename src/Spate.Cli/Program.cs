using Spate.Cli;

return StartNeeds.AreMet()
    ? Streams.Use(streams => CommandLine.Run(args, streams))
    : ExitCode.CouldNotRun;

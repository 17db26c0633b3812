using Spate.Cli;
using Spate.Cli.Output;

return StartNeeds.AreMet()
    ? Streams.Use(streams => CommandLine.Run(args, streams))
    : ExitCode.CouldNotRun;

using Spate.Cli;
using Spate.Cli.Output;

return StartNeeds.AreMet()
    ? Streams.Use(args, streams => CommandLine.Run(args, streams))
    : ExitCode.CouldNotRun;

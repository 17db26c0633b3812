using Spate.Cli;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

return StartupChecks.AreMet()
    ? Streams.Use(args, streams => CommandLine.Run(args, streams))
    : ExitCode.CouldNotRun;

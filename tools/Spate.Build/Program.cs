using System.CommandLine;
using System.ComponentModel;
using Spate.Build;
using Spate.Build.ApiLists;
using Spate.Build.Mutants;
using Spate.Build.Packages;
using Spate.Build.Sbom;
using Spate.Build.Tests;
using Spate.Build.Website;

// Steps of the build that need a program: one class per command. All paths are relative to the repository's top.
var root = new RootCommand("What builds, checks and documents Spate, beside the compiler.")
{
    SbomCommand.Create(),
    ComparePackagesCommand.Create(),
    CompareApiCommand.Create(),
    SiteCommand.Create(),
    TestsCommand.Create(),
    MutantsCommand.Create(),
};

try
{
    if (!File.Exists("Spate.slnx")) throw new BuildException("no Spate.slnx here; run it from the repository's top");
    return root.Parse(args).Invoke(new InvocationConfiguration
    {
        EnableDefaultExceptionHandler = false,

        // A command that is interrupted ends the programs that it started, which takes a while.
        ProcessTerminationTimeout = TimeSpan.FromSeconds(30),
    });
}
catch (Exception fault) when (fault is BuildException or IOException or UnauthorizedAccessException
    or OperationCanceledException or Win32Exception)
{
    Console.Error.WriteLine($"Spate.Build: {fault.Message}");
    return 1;
}

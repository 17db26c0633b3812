using System.CommandLine;
using Spate.Cli.Output;

namespace Spate.Cli.Commands;

/// <summary><c>spate bench</c>.</summary>
internal static class BenchCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command("bench", "Compare the ways to move datagrams on this machine, both ends inside.");
        command.SetAction(int (_) => throw CommandException.Refused("this build has no benchmark"));
        ExampleHelp.AddTo(command, "spate bench --quick");
        return command;
    }
}

using System.CommandLine;
using Spate.Cli.Options;
using Spate.Cli.Output;

namespace Spate.Cli.Commands;

/// <summary><c>spate send</c>: numbered datagrams to one or several targets.</summary>
internal static class SendCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command("send", "Send datagrams, numbered so that spate receive can tell what was lost.");
        var options = new SendOptions();
        options.AddTo(command);
        command.SetAction(parsed => Run(options.Read(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate send localhost                             as fast as possible for 10 s",
            "spate send 192.0.2.1:9999 --rate 200k --size mtu the largest datagrams that fit the path",
            "spate send [fe80::1%eth0]:5000 --count 1000 --size 20",
            "spate send hosta hostb --flows 2 --cpu 2,3 --rate 5Gbit --json report.json");
        return command;
    }

    private static int Run(SendSettings settings, Streams streams)
    {
        using JsonOutput? json = JsonOutput.Open(settings.Traffic.JsonPath, streams);
        foreach (string notice in settings.Notices)
        {
            streams.Error.WriteLine("spate: " + SafeText.Clean(notice, maximumLength: 500));
        }

        throw CommandException.Refused("this build has no traffic generator");
    }
}

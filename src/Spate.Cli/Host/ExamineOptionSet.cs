using System.CommandLine;
using System.Net;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.Cli.Host;

/// <summary>
/// The options that say what of the host is examined: those of <c>doctor</c> and <c>tune</c>, and without
/// <c>--seconds</c> those of <c>watch</c>.
/// </summary>
internal sealed class ExamineOptionSet(string interfaces = "those with a default route")
{
    private const double MinSeconds = 0.1;

    // A day.
    private const double MaxSeconds = 24 * 3600.0;

    private static readonly TimeSpan LongDuration = TimeSpan.FromSeconds(5);

    private readonly Option<string?> _interface = OptionText.Create(
        "--interface", "NAME", $"The interface to examine. Default: {interfaces}.");

    private readonly Option<string?> _profile = OptionText.CreateChoice(
        "--profile",
        "The intended use: 1g, 10g, 40g, 100g or latency. Default: from the link speed.",
        static () => HostProfileText.All);

    private readonly Option<string?> _seconds = OptionText.Create(
        "--seconds", "S", "Seconds to watch the counters. Default: 2.");

    public bool IsUsed(ParseResult parsed) =>
        parsed.GetValue(_interface) is not null || parsed.GetValue(_profile) is not null
        || parsed.GetValue(_seconds) is not null;

    public void AddTo(Command command)
    {
        AddRequestTo(command);
        command.Add(_seconds);
    }

    public void AddRequestTo(Command command)
    {
        command.Add(_interface);
        command.Add(_profile);
    }

    public CheckOptions ReadRequest(ParseResult parsed) => new()
    {
        Interface = ReadInterface(parsed),
        Profile = ReadProfile(parsed),
    };

    /// <summary>Examines the host, and announces a long wait. If cancelled, it ends early, with its findings.</summary>
    public async Task<HostExamination> RunAsync(
        ParseResult parsed, Streams streams, IReadOnlyList<IPAddress> targets, CancellationToken cancellationToken)
    {
        CheckOptions request = ReadRequest(parsed) with { Targets = targets };
        if (SecondsText.Read(parsed, _seconds, MinSeconds, maxSeconds: MaxSeconds) is { } duration)
        {
            request = request with { Duration = duration };
        }

        if (request.Duration >= LongDuration)
        {
            streams.Notice($"watching the counters for {request.Duration.TotalSeconds:0.#} s; Ctrl-C ends this early");
        }

        return await HostExamination.RunAsync(request, streams.Time, cancellationToken).ConfigureAwait(false);
    }

    private string? ReadInterface(ParseResult parsed)
    {
        if (parsed.GetValue(_interface) is not { } name) return null;

        string[] names = [.. InterfaceFacts.ReadAll().Select(static one => one.Name)];
        return names.Contains(name, StringComparer.Ordinal)
            ? name
            : throw OptionText.Wrong(_interface, name, $"an interface of this host: {string.Join(", ", names)}");
    }

    private HostProfile? ReadProfile(ParseResult parsed)
    {
        if (parsed.GetValue(_profile) is not { } text) return null;

        return HostProfileText.Parse(text)
            ?? throw OptionText.Wrong(_profile, text, string.Join(", ", HostProfileText.All));
    }
}

using System.CommandLine;
using Spate.Cli.Options;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Interfaces;

namespace Spate.Cli.Doctor;

/// <summary>The options that say what of the host is examined: those of <c>doctor</c> and <c>tune</c>.</summary>
internal sealed class ExamineOptions
{
    private const double MinSeconds = 0.1;

    private readonly Option<string?> _interface = OptionText.Create(
        "--interface", "NAME", "The interface to look at. Default: those that have a default route.");

    private readonly Option<string?> _profile = OptionText.Create(
        "--profile", "NAME", "What the host is to be fit for: 1g, 10g, 40g, 100g or latency. Default: by the link.");

    private readonly Option<string?> _seconds = OptionText.Create(
        "--seconds", "S", "How long the counters are watched. Default: 2.");

    /// <summary>Whether the command line has one of the options.</summary>
    public bool IsUsed(ParseResult parsed) =>
        parsed.GetValue(_interface) is not null || parsed.GetValue(_profile) is not null
        || parsed.GetValue(_seconds) is not null;

    public void AddTo(Command command)
    {
        command.Add(_interface);
        command.Add(_profile);
        command.Add(_seconds);
    }

    /// <summary>Examines the host as the options say.</summary>
    public async Task<HostExamination> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        var request = new CheckRequest
        {
            Interface = ReadInterface(parsed),
            Profile = ReadProfile(parsed),
        };
        if (SecondsText.Read(parsed, _seconds, MinSeconds) is { } duration)
        {
            request = request with { Duration = duration };
        }

        return await HostExamination.RunAsync(request, TimeProvider.System, cancellationToken).ConfigureAwait(false);
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

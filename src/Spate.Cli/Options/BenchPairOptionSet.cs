using System.CommandLine;
using Spate.HostTuning;
using Spate.Measurement.Bench;

namespace Spate.Cli.Options;

/// <summary>The options that benches of one size and two CPUs have in common.</summary>
internal sealed class BenchPairOptionSet
{
    private const int CpuCount = 2;

    private readonly int _defaultSizeBytes;
    private readonly Option<string?> _size;
    private readonly Option<string?> _cpu;

    public BenchPairOptionSet(int defaultSizeBytes, string cpuHelpName, string cpuDescription)
    {
        _defaultSizeBytes = defaultSizeBytes;
        _size = OptionText.Create("--size", "BYTES", $"Payload bytes per datagram. Default: {defaultSizeBytes}.");
        _cpu = OptionText.Create("--cpu", cpuHelpName, cpuDescription);
    }

    public Option<bool> Quick { get; } = OptionText.CreateFlag("--quick", "A quarter of the time, with more spread.");

    public Option<string?> Json { get; } = OptionText.CreateJson();

    public void AddTo(Command command)
    {
        command.Add(_size);
        command.Add(_cpu);
        command.Add(Quick);
        command.Add(Json);
    }

    public int ReadSize(ParseResult parsed) => (int)(OptionText.ReadSize(
        parsed, _size, BenchOptions.MinSizeBytes, BenchOptions.MaxSizeBytes) ?? _defaultSizeBytes);

    /// <summary>The CPUs of both ends, each of which is there; null where none was named.</summary>
    public (int? First, int? Second) ReadCpus(ParseResult parsed)
    {
        if (parsed.GetValue(_cpu) is not { } text)
        {
            return (null, null);
        }

        CpuChoice choice = CpuChoice.Parse(text, CpuFacts.Read());
        if (choice.IsAutomatic)
        {
            return (null, null);
        }

        return choice.Numbers.Count == CpuCount
            ? (choice.Numbers[0], choice.Numbers[1])
            : throw OptionText.Wrong(_cpu, text, $"{CpuCount} CPUs");
    }
}

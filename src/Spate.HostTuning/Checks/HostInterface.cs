using System.Collections.ObjectModel;
using System.Text;
using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Checks;

/// <summary>An interface that is looked at.</summary>
internal sealed record HostInterface(
    InterfaceFacts Facts, LinkFacts Link, InterfaceInterrupts Interrupts, CardSettings Card)
{
    /// <summary>What the driver counted while the host was watched, by its own names.</summary>
    public IReadOnlyDictionary<string, ulong> CardGrowth { get; init; } = ReadOnlyDictionary<string, ulong>.Empty;

    public string Name => Facts.Name;

    /// <summary>The name as one line of printable ASCII, as counters and reports have it.</summary>
    public string ShownName => FileText.Escape(Encoding.UTF8.GetBytes(Name));
}

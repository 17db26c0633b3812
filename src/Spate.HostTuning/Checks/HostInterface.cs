using System.Collections.ObjectModel;
using System.Text;
using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Checks;

internal sealed record HostInterface(
    InterfaceFacts Facts, LinkFacts Link, InterfaceInterrupts Interrupts, CardSettings Card)
{
    /// <summary>While the host was watched, by the driver's own names.</summary>
    public IReadOnlyDictionary<string, ulong> CardGrowth { get; init; } = ReadOnlyDictionary<string, ulong>.Empty;

    public string Name => Facts.Name;

    public string ShownName => FileText.Escape(Encoding.UTF8.GetBytes(Name));
}

using Spate.HostTuning.Interfaces;
using Spate.HostTuning.Interrupts;

namespace Spate.HostTuning.Checks;

/// <summary>An interface that is looked at.</summary>
/// <param name="Facts">What the system says of it.</param>
/// <param name="Link">Its speed and queues.</param>
/// <param name="Interrupts">Where its interrupts are handled.</param>
internal sealed record HostInterface(InterfaceFacts Facts, LinkFacts Link, InterfaceInterrupts Interrupts)
{
    /// <summary>The system's name for it.</summary>
    public string Name => Facts.Name;
}

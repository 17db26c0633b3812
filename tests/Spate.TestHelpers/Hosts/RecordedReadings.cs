using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.TestHelpers.Hosts;

/// <summary>What checks are given of a recorded host. The state at the end is all there is: no counter grew.</summary>
internal static class RecordedReadings
{
    /// <summary>Reads a recorded host.</summary>
    /// <param name="host">The host.</param>
    /// <param name="profile">What it is to be fit for; null for what the speed of its links says.</param>
    /// <param name="interfaces">Its interfaces, which are in no file; null for those of all recorded machines.</param>
    public static HostReadings Of(
        FakeHost host, HostProfile? profile = null, IReadOnlyList<InterfaceFacts>? interfaces = null)
    {
        var request = new CheckOptions { RootPath = host.RootPath, Profile = profile };
        using var reader = new HostReader(request, TimeProvider.System, interfaces ?? FakeMachines.Interfaces);

        // The tests' own environment may be a container.
        return reader.Take() with { Container = ContainerHint.Find(new HostFiles(host.RootPath), static _ => null) };
    }

    /// <summary>What one check finds, in its order.</summary>
    public static CheckFinding[] Examine(this HostReadings readings, string id) =>
        [.. CheckCatalog.All.Single(check => string.Equals(check.Id, id, StringComparison.Ordinal)).Examine(readings)];
}

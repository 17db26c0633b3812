using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>Null where unknown; no speed for a loopback, most virtual interfaces, and without a link.</summary>
internal sealed record LinkFacts(string Name, long? SpeedBitsPerSecond, int? ReceiveQueues, int? SendQueues)
{
    private const long BitsPerMegabit = 1_000_000;
    private const int MaxQueues = 8192;

    /// <summary>On other systems than Linux the runtime knows the speed alone.</summary>
    public static LinkFacts Read(string name, string rootPath = "/") => Read(name, new HostFiles(rootPath));

    internal static LinkFacts Read(string name, HostFiles files)
    {
        if (files.IsEmpty)
        {
            return new LinkFacts(name, SystemInterfaces.SpeedOf(name, SystemInterfaces.ReadAll()), null, null);
        }

        if (SysfsDevice.InterfacePath(files, name) is not { } folder) return new LinkFacts(name, null, null, null);

        // -1 without a link; virtual interfaces refuse the reading (EINVAL).
        long? megabits = files.ReadNumber($"{folder}/speed");
        List<string> queues = files.ListNames($"{folder}/queues", MaxQueues);
        return new LinkFacts(
            name,
            megabits is > 0 and <= long.MaxValue / BitsPerMegabit ? megabits * BitsPerMegabit : null,
            CountOf("rx-"),
            CountOf("tx-"));

        int? CountOf(string prefix) =>
            queues.Count(queue => queue.StartsWith(prefix, StringComparison.Ordinal)) is > 0 and var count
                ? count
                : null;
    }
}

using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading;

/// <summary>The kernel's limits and defaults for socket buffers (socket(7)); null where unknown.</summary>
/// <param name="ReceiveMaximumBytes">The most that SO_RCVBUF grants without CAP_NET_ADMIN.</param>
/// <param name="SendMaximumBytes">The most that SO_SNDBUF grants unprivileged.</param>
/// <param name="BacklogPackets">How many may wait per CPU between the driver and the stack.</param>
internal sealed record BufferLimits(
    long? ReceiveMaximumBytes,
    long? ReceiveDefaultBytes,
    long? SendMaximumBytes,
    long? SendDefaultBytes,
    long? BacklogPackets)
{
    /// <summary>Network namespaces other than the first see only some of the files.</summary>
    public static BufferLimits Read(string rootPath = "/")
    {
        const string Core = "proc/sys/net/core/";
        var files = new HostFiles(rootPath);
        return new BufferLimits(
            files.ReadNumber(Core + "rmem_max"),
            files.ReadNumber(Core + "rmem_default"),
            files.ReadNumber(Core + "wmem_max"),
            files.ReadNumber(Core + "wmem_default"),
            files.ReadNumber(Core + "netdev_max_backlog"));
    }
}

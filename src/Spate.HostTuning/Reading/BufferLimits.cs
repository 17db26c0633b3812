using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading;

/// <summary>The kernel's limits and defaults for socket buffers (socket(7)); null where unknown.</summary>
/// <param name="ReceiveMaximumBytes">
/// <c>net.core.rmem_max</c>: the most that SO_RCVBUF grants without CAP_NET_ADMIN.
/// </param>
/// <param name="ReceiveDefaultBytes"><c>net.core.rmem_default</c>: a socket's receive buffer unless it asks.</param>
/// <param name="SendMaximumBytes"><c>net.core.wmem_max</c>: the most that SO_SNDBUF grants unprivileged.</param>
/// <param name="SendDefaultBytes"><c>net.core.wmem_default</c>: a socket's send buffer unless it asks.</param>
/// <param name="BacklogPackets">
/// <c>net.core.netdev_max_backlog</c>: packets that may wait per CPU between the driver and the stack.
/// </param>
internal sealed record BufferLimits(
    long? ReceiveMaximumBytes,
    long? ReceiveDefaultBytes,
    long? SendMaximumBytes,
    long? SendDefaultBytes,
    long? BacklogPackets)
{
    /// <returns>The limits. Network namespaces other than the first see only some of the files.</returns>
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

using System.Net.Sockets;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>What an unprivileged socket is granted, against the profile. Recorded in <c>socket/granted</c>.</summary>
internal sealed class GrantedBufferCheck : HostCheck
{
    // Linux doubles what is asked for, so that it takes no more than this (net/core/sock.c).
    private const long MaxAskedBytes = int.MaxValue / 2;
    private const int MinAskedBytes = 4096;

    public override string Id => "buffer-granted";

    public override string Subject => "receive buffer that a socket gets";

    public override bool IsLinuxOnly => false;

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        long need = Math.Min(host.Needs.BufferLimitBytes, MaxAskedBytes);
        bool isRecorded = !string.Equals(host.Request.RootPath, "/", StringComparison.Ordinal);
        if ((isRecorded ? host.Files.ReadNumber("socket/granted") : Ask((int)need)) is not { } granted)
        {
            yield return Unknown("No UDP socket could be opened here.");
            yield break;
        }

        string found = $"{CheckText.Bytes(granted)} of {CheckText.Bytes(need)}";
        if (granted >= need)
        {
            yield return Ok(found, "A socket that asked for the profile's need got it (SO_RCVBUF).");
            yield break;
        }

        long? limit = host.Files.ReadNumber(new SysctlSetting("net.core.rmem_max").Path);
        yield return granted >= limit
            ? Ok(found, "A socket gets what net.core.rmem_max allows (rmem-max).")
            : BelowNeed(
                found,
                CheckText.Bytes(need),
                "A socket that asked for the profile's need got less: the system's limit is lower "
                    + $"({SystemLimit()}), and a container's is its host's.");
    }

    private static string SystemLimit() => OperatingSystem.IsLinux() ? "net.core.rmem_max"
        : OperatingSystem.IsMacOS() ? "kern.ipc.maxsockbuf"
        : "SO_RCVBUF";

    // macOS refuses what is above its limit, where Linux grants the limit.
    private static long? Ask(int bytes)
    {
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            while (!TrySet(socket, bytes) && bytes > MinAskedBytes) bytes /= 2;

            return OperatingSystem.IsLinux() ? socket.ReceiveBufferSize / 2 : socket.ReceiveBufferSize;
        }
        catch (SocketException)
        {
            return null;
        }
    }

    private static bool TrySet(Socket socket, int bytes)
    {
        try
        {
            socket.ReceiveBufferSize = bytes;
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}

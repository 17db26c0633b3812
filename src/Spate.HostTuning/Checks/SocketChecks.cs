using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The buffers that sockets get, the memory of all of them, and the fast paths.</summary>
internal static class SocketChecks
{
    // What Spate asks for where nothing else is said. The default is each socket's, so it stays far below the limit.
    private const long MaxDefaultBytes = 4 * 1024 * 1024;

    // Linux doubles what is asked for, so that it takes no more than this (net/core/sock.c).
    private const long MaxAskedBytes = int.MaxValue / 2;
    private const int MinAskedBytes = 4096;

    // The largest default of any kernel up to 6.18 (tcp_init in net/ipv4/tcp.c).
    private const long MaxTcpDefaultBytes = 32 * 1024 * 1024;

    private static readonly SysctlSetting MaxReceive = new("net.core.rmem_max");

    /// <summary>The largest receive buffer that a program without privileges gets.</summary>
    public static CheckFinding ReceiveLimit(HostReadings host) => Limit(
        host,
        MaxReceive,
        SocketDropChecks.AtLimit,
        "A reader that pauses loses datagrams beyond its receive buffer, and without privileges the kernel grants no "
            + "more than this (socket(7), SO_RCVBUF).",
        static lost => $"Sockets whose buffer is as large as this allows dropped {lost} during the check; their "
            + "programs get more when they open new sockets.");

    /// <summary>The largest send buffer that a program without privileges gets.</summary>
    public static CheckFinding SendLimit(HostReadings host) => Limit(
        host,
        new SysctlSetting("net.core.wmem_max"),
        SocketDropChecks.RefusedAtLimit,
        "A small send buffer fills while a queue below it is busy; sends then block or are refused (socket(7), "
            + "SO_SNDBUF).",
        static lost => $"{lost} sends met a full buffer during the check, and each send buffer that is full now is as "
            + "large as this allows; a program that waits and sends again loses nothing.");

    /// <summary>The receive buffer of programs that do not ask for one.</summary>
    public static CheckFinding DefaultBuffer(HostReadings host)
    {
        const string Reason = "Programs that request no buffer size get this one (socket(7), rmem_default).";
        var setting = new SysctlSetting("net.core.rmem_default");
        if (host.ReadNumber(setting) is not { } bytes) return NotShown(setting);

        string found = CheckText.Bytes(bytes);
        long? limit = BufferLimits.Read(host.Request.RootPath).ReceiveMaximumBytes;
        long lost = SocketDropChecks.AtDefault(host, bytes, limit);
        return lost == 0 || bytes >= MaxDefaultBytes
            ? Ok(found, Reason)
            : Problem(
                found,
                $"a program that requests more, or {CheckText.Bytes(MaxDefaultBytes)} for all that do not",
                $"Sockets with the default buffer dropped {CheckText.Count(lost)} during the check. {Reason}",
                lost).With(HostChange.Of(setting, bytes, MaxDefaultBytes));
    }

    /// <summary>What an unprivileged socket is granted, against the profile (<c>socket/granted</c>).</summary>
    public static CheckFinding GrantedBuffer(HostReadings host)
    {
        long need = Math.Min(host.Needs.BufferLimitBytes, MaxAskedBytes);
        if ((host.IsRecorded ? host.Files.ReadNumber("socket/granted") : Ask((int)need)) is not { } granted)
        {
            return Unknown("No UDP socket could be opened here.");
        }

        string found = $"{CheckText.Bytes(granted)} of {CheckText.Bytes(need)}";
        if (granted >= need) return Ok(found, "A socket that requested the profile's size got it (SO_RCVBUF).");

        string limit = OperatingSystem.IsLinux() ? "net.core.rmem_max"
            : OperatingSystem.IsMacOS() ? "kern.ipc.maxsockbuf"
            : "SO_RCVBUF";
        return granted >= host.ReadNumber(MaxReceive)
            ? Ok(found, "A socket gets what net.core.rmem_max allows (rmem-max).")
            : BelowNeed(
                found,
                CheckText.Bytes(need),
                "A socket that requested the profile's size got less: the system's limit is lower "
                    + $"({limit}), and a container's is its host's.");
    }

    /// <summary>The memory of all UDP sockets together, against its limit.</summary>
    public static CheckFinding Memory(HostReadings host)
    {
        const string Reason = "All UDP sockets of the host share this memory, in pages; above the second number "
            + "the kernel moderates memory use, above the third it drops (ip-sysctl, udp_mem; MemErrors since Linux "
            + "5.11).";
        long lost = SocketDropChecks.Sum(host.Growth.Udp4.MemErrors, host.Growth.Udp6.MemErrors) ?? 0;
        var setting = new SysctlSetting("net.ipv4.udp_mem");
        long[] limits = Numbers(host.Files.ReadLine(setting.Path));
        long? used = ReadUsedPages(host.Files);
        if (limits.Length != 3)
        {
            return lost > 0
                ? Problem("limit not shown", "a higher limit, set on the host", Reason, lost)
                : NotShown(setting);
        }

        string found = $"{(used is { } pages ? CheckText.Count(pages) : "unknown")} pages used, limits {Join(limits)}";
        if (lost == 0 && !(used >= limits[1])) return Ok(found, Reason);

        long[] more = [.. limits.Select(one => Math.Max(one, Math.Min(2 * one, MaxPages(host.Files))))];
        CheckFinding finding = lost > 0
            ? Problem(found, Join(more), $"{CheckText.Count(lost)} datagrams found no memory. {Reason}", lost)
            : Advice(found, "programs that read their sockets, or a higher limit", Reason);
        return more[2] > limits[2] ? finding.With(new HostChange(setting, Join(limits), Join(more))) : finding;
    }

    /// <summary>Raised buffers of TCP: a setting that many guides name and UDP does not use.</summary>
    public static CheckFinding? TcpBuffers(HostReadings host)
    {
        string? last = host.Files.ReadLine("proc/sys/net/ipv4/tcp_rmem")?.Split('\t', ' ')[^1];
        return long.TryParse(last, NumberStyles.None, CultureInfo.InvariantCulture, out long bytes)
            && bytes > MaxTcpDefaultBytes
                ? Ok(
                    $"up to {CheckText.Bytes(bytes)}",
                    "A raised net.ipv4.tcp_rmem has no effect on UDP, whose limit is net.core.rmem_max (tcp(7), "
                        + "socket(7)).")
                : null;
    }

    /// <summary>
    /// Segmented send and coalesced receive. Below another root than <c>/</c> there is nothing to try, and no finding.
    /// Advice is for Linux only: nobody could follow it on another system.
    /// </summary>
    public static CheckFinding? FastPaths(HostReadings host) => host.IsRecorded
        ? null
        : FastPaths(
            [UdpCapabilities.Current.SegmentedSend, UdpCapabilities.Current.CoalescedReceive],
            OperatingSystem.IsLinux());

    internal static CheckFinding FastPaths(IReadOnlyList<UdpCapability> wanted, bool isLinux)
    {
        UdpCapability[] missing = [.. wanted.Where(static one => !one.IsAvailable)];
        string found = string.Join(
            ", ", wanted.Select(static one => $"{one.Name} {(one.IsAvailable ? "works" : "does not work")}"));
        string why = string.Join("; ", missing.Select(static one => $"{one.Name}: {one.Reason}"));
        return missing.Length == 0
            ? Ok(found, "The system segments sends and returns several datagrams per receive (udp(7)).")
            : isLinux ? Advice(
                found, "Linux 5.0 or later", $"Without these each datagram passes the stack alone: {why}")
            : Ok(found, $"On this system each datagram passes the stack alone, which no setting changes: {why}");
    }

    private static CheckFinding Limit(
        HostReadings host,
        SysctlSetting setting,
        Func<HostReadings, long, long> lostAt,
        string why,
        Func<string, string> evidence)
    {
        if (host.ReadNumber(setting) is not { } bytes) return NotShown(setting);

        string found = CheckText.Bytes(bytes);
        long need = host.Needs.BufferLimitBytes;
        string wanted = CheckText.Bytes(need);
        if (bytes >= need) return Ok(found, $"A program may request as much as the profile needs ({wanted}).");

        long lost = lostAt(host, bytes);
        CheckFinding finding = lost > 0
            ? Problem(found, wanted, $"{evidence(CheckText.Count(lost))} {why}", lost)
            : BelowNeed(found, wanted, why);
        return finding.With(HostChange.Of(setting, bytes, need));
    }

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

    // Half of the machine's memory; nothing where its size is unknown.
    private static long MaxPages(HostFiles files)
    {
        string total = LineOf(files, "proc/meminfo", "MemTotal:");
        long kilobytes = FileText.NumberAfter(Encoding.ASCII.GetBytes(total), "MemTotal:"u8) ?? 0;
        return kilobytes / 2 * 1024 / Environment.SystemPageSize;
    }

    // "UDP: inuse 5 mem 2"
    private static long? ReadUsedPages(HostFiles files) => FileText.Number(FileText.WordAt(
        Encoding.ASCII.GetBytes(LineOf(files, "proc/thread-self/net/sockstat", "UDP:")), 4));

    private static string LineOf(HostFiles files, string path, string start) =>
        files.ReadLines(path).FirstOrDefault(line => line.StartsWith(start, StringComparison.Ordinal)) ?? "";

    private static long[] Numbers(string? line)
    {
        var numbers = new List<long>();
        foreach (string word in (line ?? "").Split((char[])[' ', '\t'], 4, StringSplitOptions.RemoveEmptyEntries))
        {
            bool isNumber = long.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out long one);
            if (!isNumber || one > int.MaxValue) return [];

            numbers.Add(one);
        }

        return [.. numbers];
    }

    private static string Join(long[] numbers) =>
        string.Join(' ', numbers.Select(static one => one.ToString(CultureInfo.InvariantCulture)));
}
